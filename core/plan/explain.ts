import { unreachable } from '#core/exhaustive.ts';
import { counted, durationText, indented, quoted } from '#core/plan/amounts.ts';
import { handlerMoments } from '#core/plan/handlers.ts';
import { explainStep } from '#core/plan/explain-step.ts';
import type { DeliveryPlan, LimitsPlan, Plan } from '#core/plan/plan.ts';

/**
 * The plan in plain words, for `setpoint plan`: what runs in which order, what judges it, where it goes back to, what
 * bounds it, what is delivered. Defaults are printed as they were filled (C1), commands exactly as they will run (R037).
 */
export function explainPlan(plan: Plan): string {
  return `${linesOf(plan, { called: false, explained: new Set() }).join('\n')}\n`;
}

interface Explaining {
  called: boolean;
  explained: Set<Plan>;
}

function linesOf(plan: Plan, { called, explained }: Explaining): string[] {
  explained.add(plan);
  const lines = [`Plan "${plan.name}" (project ${plan.project})`];
  for (const [name, input] of Object.entries(plan.inputs)) {
    const given =
      input.default === undefined ? (input.required ? 'required' : 'optional') : `default ${quoted(input.default)}`;
    lines.push(`Input ${name}: ${input.type}, ${given}`);
  }
  lines.push('', 'Steps');
  for (const [index, step] of plan.steps.entries()) lines.push(...explainStep(step, index + 1, plan.limits));
  lines.push(...explainHandlers(plan));
  lines.push('', 'Limits', ...explainLimits(plan.limits).map((line) => `  ${line}`));
  lines.push('', 'Workspace', ...explainWorkspace(plan, called).map((line) => `  ${line}`));
  lines.push('', `Delivery: ${explainDelivery(plan.deliver)}`, ...explainEnd(plan));
  for (const [name, child] of Object.entries(plan.children ?? {})) lines.push(...explainChild(name, child, explained));
  return lines;
}

/** D-14. */
function explainHandlers({ handlers = {}, limits }: Plan): string[] {
  const lines = (['success', 'failure', 'cancel', 'exit'] as const).flatMap((key) => {
    const handler = handlers[key];
    return handler === undefined ? [] : explainStep(handler, `${handlerMoments[key]}:`, limits);
  });
  return lines.length === 0 ? [] : ['', 'Handlers', ...lines];
}

/** What a call starts, in the same words; a plan that is called from several places is told once. */
function explainChild(name: string, child: Plan, explained: Set<Plan>): string[] {
  if (explained.has(child)) return [];
  const lines = linesOf(child, { called: true, explained }).map((line) => (line === '' ? '' : `  ${line}`));
  return ['', `Called as ${name}:`, ...lines];
}

/** A child run that names no repository of its own begins with the work of whoever calls it. */
function explainWorkspace(plan: Plan, called: boolean): string[] {
  const { workspace, baseline, keepBetweenRuns = [] } = plan;
  const what = workspace.worktree ? 'A worktree' : 'The checkout itself, without snapshots,';
  const at = workspace.base ?? (called && workspace.repo === '.' ? 'what the calling run has made' : 'HEAD');
  const lines = [`${what} of ${workspace.repo} at ${at}`];
  if (workspace.lane === 'pass') lines.push('A new worktree for each pass');
  if (workspace.setup !== undefined) lines.push(`Set up by: ${indented(workspace.setup)}`);
  if (workspace.protect.length > 0) lines.push(`Protected: ${workspace.protect.join(', ')}`);
  if (workspace.keep.length > 0) lines.push(`Kept although ignored: ${workspace.keep.join(', ')}`);
  if (keepBetweenRuns.length > 0) lines.push(`Kept for the next run: ${keepBetweenRuns.join(', ')}`);
  return [...lines, ...explainBeside(plan), `Baseline: ${baseline}`];
}

function explainBeside({ workspace, artifacts }: Plan): string[] {
  const { envFiles = [], afterwards } = workspace;
  return [
    ...(artifacts === true ? ['Beside it a folder of artifacts, never delivered'] : []),
    ...(envFiles.length > 0 ? [`Variables from: ${envFiles.join(', ')}`] : []),
    ...(afterwards === 'remove' ? ['Removed once the run has ended, unless work in it is saved nowhere else'] : []),
  ];
}

function explainEnd({ outputs = {}, callback }: Plan): string[] {
  const lines = Object.entries(outputs).map(([name, step]) => `Output ${name}: the output of ${step}`);
  if (callback !== undefined) lines.push(`When it ends it calls ${callback.url}`);
  return lines;
}

/** A line for each limit, with what running out of it leads to. */
export function explainLimits(limits: LimitsPlan): string[] {
  const ends = {
    fail: 'then it stops',
    ask: 'then a person is asked',
    pause: 'then it pauses',
    succeed: 'then it ends as passed',
  };
  const lines: string[] = [];
  if (limits.timeSeconds === undefined) lines.push('Active time: no limit');
  else lines.push(`Active time: ${durationText(limits.timeSeconds)} (waits do not count), ${ends[limits.onTime]}`);
  if (limits.deadlineSeconds !== undefined)
    lines.push(`Deadline: ${durationText(limits.deadlineSeconds)} (everything counts), then it stops`);
  if (limits.spendUsd === undefined) lines.push('Spend: no limit');
  else lines.push(`Spend: ${limits.spendUsd} USD, ${ends[limits.onSpend]}`);
  if (limits.noProgress === 0) lines.push('No progress: not watched');
  else
    lines.push(
      `No progress: stops after ${counted(limits.noProgress, 'repeat', 'repeats')} of a pass that changed nothing`,
    );
  return lines;
}

/** What becomes of the verified work, as a part of a sentence. */
export function explainDelivery(deliver: DeliveryPlan): string {
  const title = deliver.title === undefined ? '' : `, titled ${quoted(deliver.title)}`;
  switch (deliver.mode) {
    case 'none':
      return 'none';
    case 'commit':
      return `the verified tree as one commit${title}`;
    case 'branch':
      return `the verified tree on the branch ${deliver.branch ?? 'setpoint/<run id>'}${title}`;
    case 'pr':
    case 'merge':
      return `a pull request from ${deliver.branch ?? 'setpoint/<run id>'}${deliver.mode === 'merge' ? ', merged when ready' : ''}${title}`;
    default:
      return unreachable(deliver.mode);
  }
}

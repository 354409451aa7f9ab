import type { CheckPlan } from '#core/check/check-plan.ts';
import type { Condition } from '#core/check/condition.ts';
import { unreachable } from '#core/exhaustive.ts';
import { counted, durationText } from '#core/plan/amounts.ts';
import type { AgentPlan, DeliveryPlan, LimitsPlan, LoopPlan, Plan, RetryPlan, StepPlan } from '#core/plan/plan.ts';

/**
 * The plan in plain words, for `setpoint plan`: what runs in which order, what judges it, where it goes back to, what
 * bounds it, what is delivered. Defaults are printed as they were filled (C1), commands exactly as they will run (R037).
 */
export function explainPlan(plan: Plan): string {
  const { workspace } = plan;
  const lines = [`Plan "${plan.name}" (project ${plan.project})`];
  for (const [name, input] of Object.entries(plan.inputs)) {
    const given =
      input.default === undefined ? (input.required ? 'required' : 'optional') : `default ${quoted(input.default)}`;
    lines.push(`Input ${name}: ${input.type}, ${given}`);
  }
  lines.push('', 'Steps');
  for (const [index, step] of plan.steps.entries()) lines.push(...explainStep(step, index + 1, plan.limits));
  lines.push('', 'Limits', ...explainLimits(plan.limits).map((line) => `  ${line}`));
  lines.push('', 'Workspace');
  lines.push(
    `  ${workspace.worktree ? 'A worktree' : 'The checkout itself, without snapshots,'} of ${workspace.repo} at ${workspace.base ?? 'HEAD'}`,
  );
  if (workspace.lane === 'pass') lines.push('  A new worktree for each pass');
  if (workspace.setup !== undefined) lines.push(`  Set up by: ${indented(workspace.setup)}`);
  if (workspace.protect.length > 0) lines.push(`  Protected: ${workspace.protect.join(', ')}`);
  if (workspace.keep.length > 0) lines.push(`  Kept although ignored: ${workspace.keep.join(', ')}`);
  lines.push(`  Baseline: ${plan.baseline}`, '', `Delivery: ${explainDelivery(plan.deliver)}`);
  return `${lines.join('\n')}\n`;
}

function explainStep(step: StepPlan, number: number, limits: LimitsPlan): string[] {
  const after = step.after.length === 0 ? '' : `, after ${step.after.join(', ')}`;
  const called = step.name === step.id ? step.id : `${step.id} ("${step.name}")`;
  const lines = [`${number}. ${called}${after}${step.readOnly ? ', reads only' : ''}`];
  const add = (line: string): void => void lines.push(`   ${line}`);
  if (step.when !== undefined) {
    const unmet = step.when.onUnmet === 'skip' ? 'else it is skipped' : 'else the run stops';
    add(`only when ${explainCondition(step.when.condition)}; ${unmet}`);
  }
  if (step.work.kind === 'agent') {
    add(`${explainAgent(step.work.agent)}, at most ${durationText(step.timeSeconds)} an attempt, is asked:`);
    add(`  ${indented(step.work.prompt, 5)}`);
  } else {
    add(`runs, at most ${durationText(step.timeSeconds)}: ${indented(step.work.command, 5)}`);
  }
  if (step.match?.fail !== undefined) add(`fails if its output matches /${step.match.fail}/im`);
  if (step.match?.pass !== undefined) add(`passes only if its output matches /${step.match.pass}/im`);
  if (step.checks.length > 0)
    add(step.mode === 'all' ? 'passes when every check passes:' : 'passes when one check passes:');
  for (const check of step.checks) add(`  - ${explainCheck(check)}`);
  add(explainRetry(step.retry));
  if (step.loop !== undefined) add(explainLoop(step, step.loop, limits));
  if (step.continueOnError) add('if it fails, the run goes on');
  if (Object.keys(step.env).length > 0) add(`with the variables ${Object.keys(step.env).join(', ')}`);
  if (step.secrets.length > 0) add(`with the secrets ${step.secrets.join(', ')}`);
  return lines;
}

function explainAgent(agent: AgentPlan): string {
  const name = agent.name === 'auto' ? 'the first agent that is installed' : agent.name;
  const model = agent.model === undefined ? '' : ` (${agent.model})`;
  const session = agent.session === 'fresh' ? 'a fresh session each pass' : 'its session resumed';
  const fallback = agent.fallback.length === 0 ? '' : `, else ${agent.fallback.join(', ')}`;
  return `${name}${model}${fallback}, ${session}`;
}

/** One check as a sentence without a full stop; agents are told their checks in these words too (C9). */
export function explainCheck(check: CheckPlan): string {
  const asked = check.needs === 'passed' ? ', asked once those before it passed' : '';
  const limit = `at most ${durationText(check.timeSeconds)}${asked}`;
  const named = (what: string): string => (check.name === what || check.name === check.kind ? '' : `${check.name}: `);
  switch (check.kind) {
    case 'command': {
      const where = check.where === 'commit' ? ' on a clean checkout' : '';
      return `${named(check.command)}\`${indented(check.command, 7)}\` exits ${check.expectExit}${where} (${limit})`;
    }
    case 'match': {
      const parts = [
        ...(check.fail === undefined ? [] : [`does not match /${check.fail}/im`]),
        ...(check.pass === undefined ? [] : [`matches /${check.pass}/im`]),
      ];
      return `${named('match')}the output of ${check.of} ${parts.join(' and ')} (${limit})`;
    }
    case 'schema': {
      const schema = 'file' in check.schema ? check.schema.file : 'the schema of the definition';
      return `${named('schema')}the output of ${check.of} is JSON that fits ${schema} (${limit})`;
    }
    default:
      return unreachable(check);
  }
}

function explainRetry(retry: RetryPlan): string {
  if (retry.limit === 0) return 'is not retried';
  const on = explainRetryOn(retry.on);
  const growth = retry.backoff === 1 ? '' : `, each wait ${retry.backoff} times the one before`;
  return `is retried within its pass on ${on}, at most ${counted(retry.limit, 'time', 'times')}, after ${durationText(retry.everySeconds)}${growth}`;
}

function explainRetryOn(on: RetryPlan['on']): string {
  if (on === 'infrastructure') return 'an infrastructure failure';
  return on === 'notVerdict' ? 'any failure that is no verdict' : `exit ${on.join(', ')}`;
}

const exhausted = {
  fail: 'the step fails',
  ask: 'a person is asked',
  pause: 'the run pauses until the limit is raised',
  succeed: 'the step counts as passed',
} as const;

function explainLoop(step: StepPlan, loop: LoopPlan, limits: LimitsPlan): string {
  const when = { fail: 'if it fails', pass: 'if it passes', always: 'after each pass' }[loop.on];
  const to = loop.to === step.id ? 'it runs again' : `work goes back to ${loop.to}`;
  const repeat = loop.repeat === undefined ? '' : ` ${loop.repeat.mode} ${explainCondition(loop.repeat.condition)}`;
  const every = loop.wait.everySeconds === 0 ? '' : `, after ${durationText(loop.wait.everySeconds)}`;
  const own = loop.to === step.id && loop.limit !== null ? ` (${counted(loop.limit + 1, 'pass', 'passes')})` : '';
  const bound =
    loop.limit === null
      ? `without a count, until ${limits.timeSeconds === undefined ? 'the run runs out' : durationText(limits.timeSeconds)}`
      : `at most ${counted(loop.limit, 'time', 'times')}${own}, then ${exhausted[loop.onExhausted]}`;
  return `↺ ${when}, ${to}${repeat}${every}, ${bound}`;
}

function explainCondition(condition: Condition): string {
  const command = `\`${indented(condition.command, 7)}\``;
  if (condition.compare === 'exitCode') return `${command} exits ${condition.returns}`;
  const what = condition.compare === 'auto' ? '' : ` on ${condition.compare}`;
  return `${command} gives ${quoted(condition.returns)}${what}`;
}

function explainLimits(limits: LimitsPlan): string[] {
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

function explainDelivery(deliver: DeliveryPlan): string {
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

function indented(text: string, by = 4): string {
  return text.trimEnd().replaceAll('\n', `\n${' '.repeat(by)}`);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

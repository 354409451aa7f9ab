import { counted, durationText, indented } from '#core/plan/amounts.ts';
import { explainCondition, explainLoop } from '#core/plan/explain-loop.ts';
import { explainCheck } from '#core/plan/explain-check.ts';
import type { AgentPlan } from '#core/agent/agent-plan.ts';
import { unreachable } from '#core/exhaustive.ts';
import { explainCall, explainPerson, explainSentBack } from '#core/plan/explain-people.ts';
import type { LimitsPlan, RetryPlan, StepPlan } from '#core/plan/plan.ts';

/** One step of `explainPlan`, numbered from 1, or a handler under its moment. */
export function explainStep(step: StepPlan, number: number | string, limits: LimitsPlan): string[] {
  const after = step.after.length === 0 ? '' : `, after ${step.after.join(', ')}`;
  const called = step.name === step.id ? step.id : `${step.id} ("${step.name}")`;
  const lines = [
    `${typeof number === 'string' ? number : `${number}.`} ${called}${after}${step.readOnly ? ', reads only' : ''}`,
  ];
  const parts = [
    ...explainWhen(step),
    ...explainWork(step),
    ...explainSignals(step),
    ...(isRetried(step) ? [explainRetry(step.retry)] : []),
    ...explainWayBack(step, limits),
    ...explainSurroundings(step),
  ];
  return [...lines, ...parts.map((line) => `   ${line}`)];
}

function explainWhen(step: StepPlan): string[] {
  if (step.when === undefined) return [];
  const conditions = [step.when.condition, ...(step.when.and ?? [])].map(explainCondition);
  return [`only when ${conditions.join(', and ')}; else ${unmetWays[step.when.onUnmet]}`];
}

const unmetWays = {
  skip: 'it is skipped',
  stop: 'the run stops',
  cancel: 'the run ends as cancelled',
} as const satisfies Record<NonNullable<StepPlan['when']>['onUnmet'], string>;

function explainWork({ work, timeSeconds }: StepPlan): string[] {
  const limit = `at most ${durationText(timeSeconds)} an attempt`;
  switch (work.kind) {
    case 'run':
      return [`runs, ${limit}: ${indented(work.command, 5)}`];
    case 'agent':
      return [
        `${explainAgent(work.agent)}, ${limit}${explainQuiet(work.agent)}, is asked:`,
        `  ${indented(work.prompt, 5)}`,
      ];
    case 'person':
      return explainPerson(work);
    case 'call':
      return explainCall(work, timeSeconds);
    default:
      return unreachable(work);
  }
}

function explainQuiet({ quietSeconds }: AgentPlan): string {
  return quietSeconds === undefined ? '' : ` and ${durationText(quietSeconds)} without progress`;
}

function explainSignals(step: StepPlan): string[] {
  const lines: string[] = [];
  if (step.match?.fail !== undefined) lines.push(`fails if its output matches /${step.match.fail}/im`);
  if (step.match?.pass !== undefined) lines.push(`passes only if its output matches /${step.match.pass}/im`);
  if (step.checks.length === 0) return lines;
  lines.push(step.mode === 'all' ? 'passes when every check passes:' : 'passes when one check passes:');
  for (const check of step.checks) lines.push(`  - ${explainCheck(check)}`);
  return lines;
}

function explainSurroundings(step: StepPlan): string[] {
  const lines: string[] = [];
  lines.push(...explainLetGo(step));
  if (step.skipsDependents === true) lines.push('if it is skipped, so is what comes after it');
  if (step.directory !== undefined) lines.push(`starts in ${step.directory}`);
  lines.push(...explainOutput(step));
  if (Object.keys(step.env).length > 0) lines.push(`with the variables ${Object.keys(step.env).join(', ')}`);
  if (step.secrets.length > 0) lines.push(`with the secrets ${step.secrets.join(', ')}`);
  return lines;
}

/** D-07: whose words its output is, and what is made of them. */
function explainOutput({ output, outputs = {} }: StepPlan): string[] {
  const named = Object.entries(outputs).map(
    ([name, path]) => `its output ${name} is ${path} of the JSON that it gives`,
  );
  if (output === undefined) return named;
  const files = [
    ...(output.artifact === undefined ? [] : [`its output is written to ${output.artifact}`]),
    ...(output.errorsArtifact === undefined ? [] : [`its errors to ${output.errorsArtifact}`]),
  ];
  return [
    ...(output.of === 'stdout' ? ['its output is standard output alone'] : []),
    ...(files.length === 0 ? [] : [`${files.join(', ')}, in the folder of artifacts`]),
    ...named,
  ];
}

/** D-14: which failures the run goes on after. */
function explainLetGo({ continueOnError, continueOn = {} }: StepPlan): string[] {
  const { exitCodes = [], matches = [], markSuccess = false } = continueOn;
  const causes = continueOnError
    ? ['it fails']
    : [
        ...(exitCodes.length === 0 ? [] : [`it fails with exit ${exitCodes.join(', ')}`]),
        ...matches.map((pattern) => `it fails and its output matches /${pattern}/im`),
      ];
  if (causes.length === 0) return [];
  return [`if ${causes.join(', or ')}, the run goes on${markSuccess ? ', and it counts as succeeded' : ''}`];
}

function explainAgent(agent: AgentPlan): string {
  const name = agent.name === 'auto' ? 'the first agent that is installed' : agent.name;
  const model = agent.model === undefined ? '' : ` (${agent.model})`;
  const session = agent.session === 'fresh' ? 'a fresh session each pass' : 'its session resumed';
  const fallback = agent.fallback.length === 0 ? '' : `, else ${agent.fallback.join(', ')}`;
  return `${name}${model}${fallback}, ${session}`;
}

/** A question is asked once a pass; a child run meets its own failures of infrastructure, so only its end is left. */
function isRetried({ work, retry }: StepPlan): boolean {
  return work.kind === 'agent' || work.kind === 'run' || (work.kind === 'call' && retry.on === 'notVerdict');
}

function explainRetry(retry: RetryPlan): string {
  if (retry.limit === 0) return 'is not retried';
  const on = explainRetryOn(retry.on);
  const growth = retry.backoff === 1 ? '' : `, each wait ${retry.backoff} times the one before`;
  return `is retried within its pass on ${on}, at most ${counted(retry.limit, 'time', 'times')}, after ${durationText(retry.everySeconds)}${growth}`;
}

function explainRetryOn(on: RetryPlan['on']): string {
  if (on === 'infrastructure') return 'an infrastructure failure';
  if (on === 'failure') return 'any exit but 0';
  return on === 'notVerdict' ? 'any failure that is no verdict' : `exit ${on.join(', ')}`;
}

function explainWayBack(step: StepPlan, limits: LimitsPlan): string[] {
  const { loop, work } = step;
  if (work.kind === 'person') return explainSentBack(step, work);
  return loop === undefined ? [] : [explainLoop(step, loop, limits)];
}

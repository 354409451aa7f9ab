import type { Condition } from '#core/check/condition.ts';
import { counted, durationText, indented, quoted } from '#core/plan/amounts.ts';
import { explainCheck } from '#core/plan/explain-check.ts';
import type { AgentPlan } from '#core/agent/agent-plan.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { CallPlan, LimitsPlan, LoopPlan, PersonPlan, RetryPlan, StepPlan } from '#core/plan/plan.ts';

/** One step of `explainPlan`, numbered from 1. */
export function explainStep(step: StepPlan, number: number, limits: LimitsPlan): string[] {
  const after = step.after.length === 0 ? '' : `, after ${step.after.join(', ')}`;
  const called = step.name === step.id ? step.id : `${step.id} ("${step.name}")`;
  const lines = [`${number}. ${called}${after}${step.readOnly ? ', reads only' : ''}`];
  const parts = [
    ...explainWhen(step),
    ...explainWork(step),
    ...explainSignals(step),
    ...(step.work.kind === 'person' ? [] : [explainRetry(step.retry)]),
    ...(step.loop === undefined ? [] : [explainLoop(step, step.loop, limits)]),
    ...explainSurroundings(step),
  ];
  return [...lines, ...parts.map((line) => `   ${line}`)];
}

function explainWhen(step: StepPlan): string[] {
  if (step.when === undefined) return [];
  const unmet = step.when.onUnmet === 'skip' ? 'else it is skipped' : 'else the run stops';
  return [`only when ${explainCondition(step.when.condition)}; ${unmet}`];
}

function explainWork({ work, timeSeconds }: StepPlan): string[] {
  const limit = `at most ${durationText(timeSeconds)} an attempt`;
  switch (work.kind) {
    case 'run':
      return [`runs, ${limit}: ${indented(work.command, 5)}`];
    case 'agent':
      return [`${explainAgent(work.agent)}, ${limit}, is asked:`, `  ${indented(work.prompt, 5)}`];
    case 'person':
      return explainPerson(work);
    case 'call':
      return [explainCall(work)];
    default:
      return unreachable(work);
  }
}

function explainPerson(person: PersonPlan): string[] {
  const who = person.who.length === 0 ? 'a person' : person.who.join(' or ');
  const quorum = person.quorum === 1 ? '' : `, ${person.quorum} of them must approve`;
  const author = person.notAuthor ? ', not who started the run' : '';
  const lines = [`${who} is asked${quorum}${author}:`, `  ${indented(person.ask, 5)}`];
  if (person.remindSeconds !== undefined) lines.push(`reminded every ${durationText(person.remindSeconds)}`);
  const after = person.escalate?.afterSeconds;
  if (after !== undefined) lines.push(`after ${durationText(after)}, ${person.escalate?.to.join(', ')} is asked, too`);
  if (person.time !== undefined)
    lines.push(`within ${durationText(person.time.limitSeconds)}, ${expiry[person.time.onExpiry]}`);
  return lines;
}

const expiry = {
  fail: 'else the step fails',
  skip: 'else the step is skipped',
  escalate: 'else it is escalated and stays open',
} as const;

function explainCall(call: CallPlan): string {
  const each = call.each;
  if (each === undefined) return `starts a child run of ${call.definition} and waits for it`;
  const list = indented(each.list, 5);
  return `starts a child run of ${call.definition} for each of ${list}, at most ${each.max} at a time`;
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
  if (step.continueOnError) lines.push('if it fails, the run goes on');
  if (Object.keys(step.env).length > 0) lines.push(`with the variables ${Object.keys(step.env).join(', ')}`);
  if (step.secrets.length > 0) lines.push(`with the secrets ${step.secrets.join(', ')}`);
  return lines;
}

function explainAgent(agent: AgentPlan): string {
  const name = agent.name === 'auto' ? 'the first agent that is installed' : agent.name;
  const model = agent.model === undefined ? '' : ` (${agent.model})`;
  const session = agent.session === 'fresh' ? 'a fresh session each pass' : 'its session resumed';
  const fallback = agent.fallback.length === 0 ? '' : `, else ${agent.fallback.join(', ')}`;
  return `${name}${model}${fallback}, ${session}`;
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

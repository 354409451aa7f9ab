import type { Condition } from '#core/check/condition.ts';
import { counted, durationText, indented, quoted } from '#core/plan/amounts.ts';
import { exhausted } from '#core/plan/explain-exhausted.ts';
import type { LimitsPlan, LoopPlan, RepeatAction, StepPlan } from '#core/plan/plan.ts';

/** The loop of a step in one line: when it fires, what it leads to, and what bounds it (C1–C8). */
export function explainLoop(step: StepPlan, loop: LoopPlan, limits: LimitsPlan): string {
  const when = { fail: 'if it fails', pass: 'if it passes', always: 'after each pass' }[loop.on];
  const every = loop.wait.everySeconds === 0 ? '' : `, after ${durationText(loop.wait.everySeconds)}`;
  const way = `↺ ${when}, ${explainWay(step, loop)}${every}`;
  const bound = explainBound(step, loop, limits);
  if (loop.repeat?.met === undefined && loop.repeat?.unmet === undefined) return `${way}, ${bound}`;
  // Two ways and what comes after them are too much for one sentence.
  return `${way}. ${bound.slice(0, 1).toUpperCase()}${bound.slice(1)}`;
}

function explainWay(step: StepPlan, { to, repeat, prompts = {} }: LoopPlan): string {
  const again = to === step.id ? 'it runs again' : `work goes back to ${to}`;
  const asks = (words: string | undefined) => (words === undefined ? again : `${again}, asked in words of its own`);
  if (repeat === undefined) return asks(prompts.fail ?? prompts.pass);
  const judged = explainRepeat(repeat);
  if (repeat.met === undefined && repeat.unmet === undefined) {
    return `${asks(prompts.fail ?? prompts.pass)} ${repeat.mode} ${judged}`;
  }
  const isWhile = repeat.mode === 'while';
  const met = repeat.met ?? (isWhile ? 'again' : 'continue');
  const unmet = repeat.unmet ?? (isWhile ? 'continue' : 'again');
  const lead = (action: RepeatAction, words: string | undefined) =>
    action === 'again' ? asks(words) : leadsTo[action];
  return `it is judged whether ${judged}: if so, ${lead(met, prompts.pass)}; if not, ${lead(unmet, prompts.fail)}`;
}

const leadsTo = { continue: 'the step ends', stop: 'the run stops' } as const;

function explainBound(step: StepPlan, loop: LoopPlan, limits: LimitsPlan): string {
  if (loop.limit === null) {
    return `without a count, until ${limits.timeSeconds === undefined ? 'the run runs out' : durationText(limits.timeSeconds)}`;
  }
  const own = loop.to === step.id ? ` (${counted(loop.limit + 1, 'pass', 'passes')})` : '';
  return `at most ${counted(loop.limit, 'time', 'times')}${own}, then ${explainEnd(loop)}`;
}

/** D-04, C-08. */
function explainEnd({ limitJudges, onExhausted, onExhaustedMet, repeat }: LoopPlan): string {
  if (limitJudges === false) return 'the step ends as its last attempt did';
  if (repeat === undefined || onExhaustedMet === undefined) return exhausted[onExhausted];
  return `${exhausted[onExhaustedMet]} if it is still so, else ${exhausted[onExhausted]}`;
}

function explainRepeat({ condition, exitCodes = [] }: NonNullable<LoopPlan['repeat']>): string {
  return condition === undefined ? `it exits ${exitCodes.join(', ')}` : explainCondition(condition);
}

/** What holds when a condition is met: `npm test` exits 0. */
export function explainCondition({ command, compare, returns, by, negate = false }: Condition): string {
  const run = `\`${indented(command, 7)}\``;
  if (compare === 'exitCode') return `${run} ${negate ? 'does not exit' : 'exits'} ${returns}`;
  const where = compare === 'auto' ? '' : ` on ${compare}`;
  const text = { line: `the line ${quoted(returns)}`, pattern: `what matches /${returns}/`, equal: quoted(returns) };
  return `${run} ${negate ? 'does not give' : 'gives'} ${text[by ?? 'equal']}${where}`;
}

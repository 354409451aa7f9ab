import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import type { StepPlan } from '#core/plan/plan.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import type { RunState, StepState } from '#core/run/state.ts';
import { attemptProblem } from '#core/run/attempt-problem.ts';
import { shortStreaks } from '#core/run/streak.ts';

/**
 * What a step's last pass found, to be routed to the next one (C9): its failed attempt or match first, then its
 * failed checks in written order. Empty when everything passed (a loop on `pass`).
 */
export function feedbackOf(plan: StepPlan, step: StepState): FeedbackEntry[] {
  if (plan.work.kind === 'person') return personFeedback(plan, step);
  const attempt = step.result === null ? [] : attemptFeedback(plan, step, step.result);
  const checks = step.verdicts.flatMap(({ check, verdict }): FeedbackEntry[] => {
    if (verdict.kind === 'pass') return [];
    const { summary, feedback, log } = verdict.evidence;
    return [
      {
        step: plan.id,
        pass: step.pass,
        check,
        verdict: verdict.kind,
        summary,
        ...(feedback === undefined ? {} : { text: feedback }),
        ...(log === undefined ? {} : { whole: log }),
        stale: false,
        baseline: false,
      },
    ];
  });
  const again = shortStreaks(plan, step).map(({ check, passed, of }): FeedbackEntry => {
    const summary = `It passed ${passed} of ${of} times in a row: nothing is to be mended, it is judged once more.`;
    return { step: plan.id, pass: step.pass, check, verdict: 'missing', summary, stale: false, baseline: false };
  });
  return [...attempt, ...checks, ...again, ...step.remarks];
}

/** D3, D4: what a person said when they sent the work back. */
function personFeedback(plan: StepPlan, step: StepState): FeedbackEntry[] {
  const decision = step.task?.decisions.at(-1);
  if (decision === undefined) return [...step.remarks];
  const { by, comment: summary, text } = decision;
  const said = { step: plan.id, pass: step.pass, by, verdict: 'fail' as const, summary, text };
  return [{ ...said, stale: false, baseline: false }, ...step.remarks];
}

function attemptFeedback(plan: StepPlan, step: StepState, result: AttemptResult): FeedbackEntry[] {
  const summary = attemptProblem(result);
  if (summary === undefined) return [];
  return [
    {
      step: plan.id,
      pass: step.resultPass,
      verdict: 'fail',
      summary,
      ...(result.feedback === undefined ? {} : { text: result.feedback }),
      whole: result.output,
      stale: false,
      baseline: false,
    },
  ];
}

/** The entries that a step's attempt is given now: those of its last loop, or the baseline's in its first pass. */
export function feedbackFor(plan: StepPlan, state: RunState, step: StepState): FeedbackEntry[] {
  // A handler mends nothing.
  if (state.handling !== null) return [];
  if (step.resultPass === 0 && step.feedback.length === 0) return baselineFeedback(plan, state);
  return step.feedback.map((entry) => ({ ...entry, stale: entry.stale || isOlder(state, entry) }));
}

function isOlder(state: RunState, entry: FeedbackEntry): boolean {
  const source = state.steps[entry.step];
  if (source === undefined) return false;
  // A pass under way is not its last one yet: its checks may still say the same.
  const last = source.phase === 'done' ? source.resultPass : Math.min(source.resultPass, source.pass - 1);
  return entry.pass < last;
}

function baselineFeedback(plan: StepPlan, state: RunState): FeedbackEntry[] {
  return state.baseline.verdicts.flatMap(({ step, check, verdict }): FeedbackEntry[] => {
    if (verdict.kind === 'pass' || plan.work.kind !== 'agent') return [];
    return [
      {
        step,
        pass: 0,
        check,
        verdict: verdict.kind,
        summary: verdict.evidence.summary,
        ...(verdict.evidence.feedback === undefined ? {} : { text: verdict.evidence.feedback }),
        ...(verdict.evidence.log === undefined ? {} : { whole: verdict.evidence.log }),
        stale: false,
        baseline: true,
      },
    ];
  });
}

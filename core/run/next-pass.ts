import type { StepState, StrayChild } from '#core/run/state.ts';

/**
 * A step's next pass: what it has under way keeps its older number, so its result will not count (C4).
 * The last result stays, since templates may name it (V-19); so does the last question, until it is asked again.
 */
export function nextPass(step: StepState): StepState {
  return {
    ...step,
    phase: 'idle',
    pass: step.pass + 1,
    attempt: 0,
    outcome: null,
    continued: false,
    skippedBy: null,
    failedAs: null,
    reason: null,
    when: null,
    retries: 0,
    crashes: 0,
    waits: 0,
    notBefore: null,
    prompt: null,
    found: null,
    checkErrors: 0,
    judgedTree: null,
    repeat: null,
    conditionErrors: 0,
    remarks: [],
    call: null,
    strays: withStrays(step),
    planned: null,
  };
}

/** Its loop begins anew: counters, what C8 has seen, and the streaks of its reviews. */
export function recounted(step: StepState): StepState {
  return { ...step, loops: 0, pushBacks: 0, seen: [], repeats: 0, streaks: {} };
}

/** The children that are alive no longer count; their end is still waited for. */
export function withStrays(step: StepState): readonly StrayChild[] {
  const alive = (step.call?.children ?? []).filter(({ settled }) => settled === null);
  return [...step.strays, ...alive.map(({ runId }): StrayChild => ({ runId, told: 'no' }))];
}

import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import type { RunEvent } from '#core/run/event.ts';
import { next } from '#core/run/next.ts';
import { initialState, type RunState } from '#core/run/state.ts';

import { median } from './figures.ts';

const steps = 1_000;
const pastEvents = 10_000;

/** Milliseconds that the law takes to say what is due, on a plan of 1,000 steps with 10,000 events behind it. */
export function measureNext(rounds: number): number {
  const plan = widePlan();
  const state = stateAfter(plan);
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const commands = next(plan, state);
    figures.push(performance.now() - began);
    if (commands.length === 0) throw new TypeError('nothing was due, so nothing was measured');
  }
  return median(figures);
}

/** Steps side by side, every other one a reader, each with a loop: half of them are due at once. */
function widePlan(): Plan {
  return {
    semantics: 1,
    name: 'wide',
    project: 'default',
    labels: [],
    inputs: {},
    steps: Array.from({ length: steps }, (_, index) => stepOf(index)),
    limits: { noProgress: 2, onTime: 'fail', onSpend: 'pause' },
    workspace: { repo: '.', worktree: true, protect: [], keep: [], lane: 'run' },
    baseline: 'off',
    deliver: { mode: 'none' },
  };
}

function stepOf(index: number): StepPlan {
  return {
    id: `step${index}`,
    name: `step${index}`,
    after: [],
    work: { kind: 'run', command: 'true' },
    readOnly: index % 2 === 1,
    checks: [],
    mode: 'all',
    retry: { on: 'infrastructure', limit: 0, everySeconds: 0, backoff: 1 },
    loop: {
      to: `step${index}`,
      on: 'fail',
      limit: null,
      wait: { everySeconds: 0, backoff: 1 },
      onExhausted: 'fail',
      inFlight: 'cancel',
    },
    timeSeconds: 60,
    continueOnError: false,
    env: {},
    secrets: [],
  };
}

function stateAfter(plan: Plan): RunState {
  let state = initialState(plan);
  let count = 0;
  const emit = (event: RunEvent): void => {
    state = apply(plan, state, event);
    count += 1;
  };
  emit({ type: 'run.started', at: 1, runId: 'run_1' });
  emit({ type: 'workspace.opening', at: 2 });
  const base = { commit: 'c', tree: 't', head: 'h' };
  emit({ type: 'workspace.opened', at: 3, hostId: 'h', queue: 'q', path: '/w', base, notes: [] });
  for (let pass = 1; count < pastEvents; pass += 1) {
    for (let index = 0; index < steps && count < pastEvents; index += 1) passOf(emit, `step${index}`, pass);
  }
  return state;
}

/** One failed pass of a chain's first step, which loops to itself. */
function passOf(emit: (event: RunEvent) => void, step: string, pass: number): void {
  const at = 4 + pass;
  const onAttempt = { at, step, pass, attempt: 1 };
  emit({ type: 'attempt.started', ...onAttempt });
  emit({
    type: 'attempt.finished',
    ...onAttempt,
    result: {
      end: { kind: 'failed', reason: 'exit 1' },
      output: { sha256: 'o', bytes: 1, excerpt: '' },
      fingerprint: `${pass}`,
      spend: { estimated: false, inputTokens: 0, outputTokens: 0 },
      findings: [],
      durationMs: 1,
    },
  });
  emit({
    type: 'loop.fired',
    at,
    step,
    pass,
    to: step,
    count: pass,
    limit: null,
    reset: [step],
    fingerprint: `${pass}`,
    repeats: 0,
    message: '↺',
  });
}

import fc from 'fast-check';

import type { LoopPlan, Plan, StepPlan } from '#core/plan/plan.ts';

import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';

const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 10 };

const loopShape = fc.record({
  on: fc.constantFrom('fail' as const, 'fail' as const, 'pass' as const, 'always' as const),
  limit: fc.nat(3),
  repeat: fc.option(
    fc.record({
      mode: fc.constantFrom('while' as const, 'until' as const),
      condition: fc.constant(condition),
      onError: fc.constantFrom('pause' as const, 'fail' as const),
    }),
    { nil: undefined, freq: 4 },
  ),
  wait: fc.constantFrom({ everySeconds: 0, backoff: 1 }, { everySeconds: 5, backoff: 2, maxSeconds: 20 }),
  onExhausted: fc.constantFrom('fail' as const, 'fail' as const, 'succeed' as const, 'pause' as const),
  inFlight: fc.constantFrom('cancel' as const, 'keep' as const),
  back: fc.nat(),
});

const stepShape = fc.record({
  before: fc.array(fc.nat(), { maxLength: 2 }),
  agent: fc.boolean(),
  readOnly: fc.nat(3).map((drawn) => drawn === 0),
  checks: fc.nat(2),
  mode: fc.constantFrom('all' as const, 'any' as const),
  when: fc.nat(4).map((drawn) => drawn === 0),
  retry: fc.constantFrom('infrastructure' as const, 'notVerdict' as const),
  continueOnError: fc.nat(4).map((drawn) => drawn === 0),
  loop: fc.option(loopShape, { nil: undefined }),
});

type StepShape = typeof stepShape extends fc.Arbitrary<infer T> ? T : never;

/** Random plans as `compile` makes them: topological, loop targets upstream, every loop bounded. */
export const arbitraryPlan: fc.Arbitrary<Plan> = fc
  .record({
    shapes: fc.array(stepShape, { minLength: 1, maxLength: 5 }),
    worktree: fc.nat(4).map((drawn) => drawn > 0),
    spendUsd: fc.constantFrom(undefined, 0.05, 5),
    timeSeconds: fc.constantFrom(undefined, 20, 3600),
    noProgress: fc.nat(2),
    deliver: fc.constantFrom('none' as const, 'branch' as const),
  })
  .map(({ shapes, worktree, spendUsd, timeSeconds, noProgress, deliver }) => {
    const steps = shapes.reduce<StepPlan[]>((made, shape) => [...made, stepOf(shape, made)], []);
    return plan(steps, {
      workspace: { repo: '.', worktree, protect: [], keep: [], lane: 'run' },
      deliver: { mode: worktree ? deliver : 'none' },
      limits: {
        noProgress,
        onTime: 'fail',
        onSpend: 'fail',
        ...(spendUsd === undefined ? {} : { spendUsd }),
        ...(timeSeconds === undefined ? {} : { timeSeconds }),
      },
    });
  });

function stepOf(shape: StepShape, made: StepPlan[]): StepPlan {
  const id = `s${made.length}`;
  const after = made.length === 0 ? [] : [...new Set(shape.before.map((drawn) => `s${drawn % made.length}`))];
  return step(id, {
    after,
    work: shape.agent ? scriptedAgent(['true']) : { kind: 'run', command: 'true' },
    readOnly: shape.readOnly,
    checks: Array.from({ length: shape.checks }, (_, index) => commandCheck(`check${index}`)),
    mode: shape.mode,
    retry: { on: shape.retry, limit: 1, everySeconds: 1, backoff: 1 },
    continueOnError: shape.continueOnError,
    ...(shape.when ? { when: { condition, onUnmet: 'skip', onError: 'fail' } } : {}),
    ...(shape.loop === undefined ? {} : { loop: loopOf(shape.loop, id, upstream(made, after)) }),
  });
}

function loopOf(shape: NonNullable<StepShape['loop']>, id: string, above: string[]): LoopPlan {
  const targets = [id, ...above];
  const { back, repeat, ...rest } = shape;
  return loopTo(targets[back % targets.length] ?? id, { ...rest, ...(repeat === undefined ? {} : { repeat }) });
}

function upstream(made: StepPlan[], after: string[]): string[] {
  const reached = new Set(after);
  for (const other of made.toReversed()) {
    if (reached.has(other.id)) for (const id of other.after) reached.add(id);
  }
  return [...reached];
}

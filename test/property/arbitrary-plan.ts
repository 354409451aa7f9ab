import fc from 'fast-check';

import { present } from '#core/definition/present.ts';
import type { ContinueOn, Handlers, LoopPlan, Plan, StepPlan } from '#core/plan/plan.ts';

import { commandCheck, loopTo, personWork, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { callWork, reviewCheck } from '../fakes/people-plans.ts';

const condition = { command: 'true', compare: 'exitCode' as const, returns: '0', timeSeconds: 10 };

const action = fc.constantFrom(undefined, undefined, 'continue' as const, 'again' as const, 'stop' as const);

type JudgedBy = Pick<NonNullable<LoopPlan['repeat']>, 'condition' | 'exitCodes'>;

const judgedBy = fc.constantFrom<JudgedBy>({ condition }, { condition }, { condition }, { exitCodes: [0] });

const repeatShape = fc
  .tuple(
    judgedBy,
    fc.record({
      mode: fc.constantFrom('while' as const, 'until' as const),
      onError: fc.constantFrom('pause' as const, 'fail' as const, 'unmet' as const),
      met: action,
      unmet: action,
    }),
  )
  .map(([by, { met, unmet, ...rest }]) => ({ ...by, ...rest, ...present({ met, unmet }) }));

const loopShape = fc.record({
  on: fc.constantFrom('fail' as const, 'fail' as const, 'pass' as const, 'always' as const),
  limit: fc.nat(3),
  repeat: fc.option(repeatShape, { nil: undefined, freq: 4 }),
  onExhaustedMet: fc.constantFrom(undefined, 'succeed' as const),
  limitJudges: fc.constantFrom(undefined, undefined, false),
  wait: fc.constantFrom({ everySeconds: 0, backoff: 1 }, { everySeconds: 5, backoff: 2, maxSeconds: 20 }),
  onExhausted: fc.constantFrom('fail' as const, 'fail' as const, 'succeed' as const, 'pause' as const, 'ask' as const),
  inFlight: fc.constantFrom('cancel' as const, 'keep' as const),
  back: fc.nat(),
});

const personShape = fc.record({
  quorum: fc.integer({ min: 1, max: 2 }),
  pushBackLimit: fc.constantFrom(null, null, 0, 2),
  remindSeconds: fc.constantFrom(undefined, 3),
  escalate: fc.boolean(),
  time: fc.constantFrom(
    undefined,
    { limitSeconds: 4, onExpiry: 'fail' as const },
    { limitSeconds: 4, onExpiry: 'skip' as const },
    { limitSeconds: 4, onExpiry: 'escalate' as const },
  ),
});

const stepShape = fc.record({
  before: fc.array(fc.nat(), { maxLength: 2 }),
  kind: fc.constantFrom(
    'agent' as const,
    'agent' as const,
    'run' as const,
    'run' as const,
    'person' as const,
    'call' as const,
  ),
  person: personShape,
  call: fc.record({ each: fc.boolean(), max: fc.integer({ min: 1, max: 3 }) }),
  review: fc.option(fc.record({ consecutive: fc.integer({ min: 1, max: 3 }), always: fc.boolean() }), {
    nil: undefined,
    freq: 2,
  }),
  readOnly: fc.nat(3).map((drawn) => drawn === 0),
  checks: fc.nat(2),
  mode: fc.constantFrom('all' as const, 'any' as const),
  when: fc.nat(4).map((drawn) => drawn === 0),
  retry: fc.constantFrom('infrastructure' as const, 'notVerdict' as const, 'failure' as const),
  skipsDependents: fc.constantFrom(undefined, true, true, false),
  continueOn: fc.constantFrom<(ContinueOn | undefined)[]>(
    undefined,
    undefined,
    undefined,
    { exitCodes: [1] },
    { matches: ['known'], markSuccess: true },
  ),
  continueOnError: fc.nat(4).map((drawn) => drawn === 0),
  loop: fc.option(loopShape, { nil: undefined, freq: 3 }),
});

const handlerShape = fc.option(
  fc.record({ agent: fc.boolean(), checks: fc.nat(1), when: fc.nat(3).map((drawn) => drawn === 0) }),
  { nil: undefined, freq: 3 },
);

const handlerShapes = fc.option(
  fc.record({ success: handlerShape, failure: handlerShape, cancel: handlerShape, exit: handlerShape }),
  { nil: undefined, freq: 3 },
);

type HandlerShapes = typeof handlerShapes extends fc.Arbitrary<infer T> ? T : never;
type HandlerShape = typeof handlerShape extends fc.Arbitrary<infer T> ? T : never;
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
    deadlineSeconds: fc.constantFrom(undefined, undefined, 60),
    onLimit: fc.constantFrom('fail' as const, 'fail' as const, 'pause' as const, 'ask' as const),
    keep: fc.boolean(),
    lane: fc.constantFrom('run' as const, 'run' as const, 'pass' as const),
    handlers: handlerShapes,
  })
  .map(
    ({
      shapes,
      worktree,
      spendUsd,
      timeSeconds,
      deadlineSeconds,
      noProgress,
      deliver,
      onLimit,
      keep,
      lane,
      handlers,
    }) => {
      const steps = shapes.reduce<StepPlan[]>((made, shape) => [...made, stepOf(shape, made)], []);
      return plan(steps, {
        workspace: { repo: '.', worktree, protect: [], keep: [], lane: worktree && !keep ? lane : 'run' },
        deliver: { mode: worktree ? deliver : 'none' },
        limits: {
          noProgress,
          onTime: onLimit,
          onSpend: onLimit,
          ...(spendUsd === undefined ? {} : { spendUsd }),
          ...(timeSeconds === undefined ? {} : { timeSeconds }),
          ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
        },
        children: { child: plan([step('only')]) },
        ...(keep ? { keepBetweenRuns: ['notes/**'] } : {}),
        ...(handlers === undefined ? {} : { handlers: handlersOf(handlers) }),
      });
    },
  );

function handlersOf(shapes: NonNullable<HandlerShapes>): Handlers {
  const { success, failure, cancel, exit } = shapes;
  return {
    success: handlerOf('on-success', success),
    failure: handlerOf('on-failure', failure),
    cancel: handlerOf('on-cancel', cancel),
    exit: handlerOf('on-exit', exit),
  };
}

function handlerOf(id: string, shape: HandlerShape): StepPlan | undefined {
  if (shape === undefined) return undefined;
  return step(id, {
    work: shape.agent ? scriptedAgent(['true']) : { kind: 'run', command: 'true' },
    checks: shape.checks === 0 ? [] : [commandCheck('sent')],
    retry: { on: 'failure', limit: 1, everySeconds: 1, backoff: 1 },
    ...(shape.when ? { when: { condition, onUnmet: 'skip', onError: 'pause' } } : {}),
  });
}

function stepOf(shape: StepShape, made: StepPlan[]): StepPlan {
  const id = `s${made.length}`;
  const after = made.length === 0 ? [] : [...new Set(shape.before.map((drawn) => `s${drawn % made.length}`))];
  const asks = shape.kind === 'person';
  return step(id, {
    after,
    work: workOf(shape),
    readOnly: shape.readOnly && !asks && shape.kind !== 'call',
    checks: asks ? [] : checksOf(shape),
    mode: shape.mode,
    retry: { on: shape.retry, limit: 1, everySeconds: 1, backoff: 1 },
    continueOnError: shape.continueOnError,
    ...(shape.skipsDependents === undefined ? {} : { skipsDependents: shape.skipsDependents }),
    ...(shape.continueOn === undefined ? {} : { continueOn: shape.continueOn }),
    ...(shape.when ? { when: { condition, onUnmet: 'skip', onError: 'fail' } } : {}),
    ...(shape.loop === undefined ? {} : { loop: loopOf(shape.loop, id, upstream(made, after)) }),
  });
}

function workOf(shape: StepShape): StepPlan['work'] {
  switch (shape.kind) {
    case 'agent':
      return scriptedAgent(['true']);
    case 'run':
      return { kind: 'run', command: 'true' };
    case 'call':
      return callWork(shape.call.each ? { each: { list: 'a', max: shape.call.max } } : {});
    case 'person': {
      const { quorum, pushBackLimit, remindSeconds, escalate, time } = shape.person;
      return personWork({
        quorum,
        pushBackLimit,
        ...(remindSeconds === undefined ? {} : { remindSeconds }),
        ...(escalate ? { escalate: { to: ['p2'], afterSeconds: 5 } } : {}),
        ...(time === undefined ? {} : { time }),
      });
    }
  }
}

function checksOf(shape: StepShape): StepPlan['checks'] {
  const commands = Array.from({ length: shape.checks }, (_, index) => commandCheck(`check${index}`));
  if (shape.review === undefined) return commands;
  const { consecutive, always } = shape.review;
  return [...commands, reviewCheck('review', { consecutive, needs: always ? 'always' : 'passed' })];
}

function loopOf(shape: NonNullable<StepShape['loop']>, id: string, above: string[]): LoopPlan {
  const targets = [id, ...above];
  const { back, repeat, onExhaustedMet, limitJudges, ...rest } = shape;
  return loopTo(targets[back % targets.length] ?? id, { ...rest, ...present({ repeat, onExhaustedMet, limitJudges }) });
}

function upstream(made: StepPlan[], after: string[]): string[] {
  const reached = new Set(after);
  for (const other of made.toReversed()) {
    if (reached.has(other.id)) for (const id of other.after) reached.add(id);
  }
  return [...reached];
}

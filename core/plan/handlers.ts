import type { Handlers, Plan, StepPlan } from '#core/plan/plan.ts';
import type { StopKind } from '#core/run/stop.ts';

type HandlersOfPlan = Pick<Plan, 'handlers'>;

/** The handlers of a plan (D-14), in the order in which they could run. */
export function handlersOf({ handlers = {} }: HandlersOfPlan): StepPlan[] {
  const { success, failure, cancel, exit } = handlers;
  return [success, failure, cancel, exit].flatMap((handler) => (handler === undefined ? [] : [handler]));
}

/** Every step of which a run keeps a state: those of the plan, then its handlers. */
export function everyStep(plan: Pick<Plan, 'handlers' | 'steps'>): StepPlan[] {
  return [...plan.steps, ...handlersOf(plan)];
}

export function isHandler(plan: HandlersOfPlan, id: string): boolean {
  return handlersOf(plan).some((handler) => handler.id === id);
}

/** Those that run after such an end: the one for it, then the one for every end. */
export function handlersFor({ handlers = {} }: HandlersOfPlan, kind: StopKind): StepPlan[] {
  return [handlers[momentOf(kind)], handlers.exit].flatMap((handler) => (handler === undefined ? [] : [handler]));
}

function momentOf(kind: StopKind): Exclude<keyof Handlers, 'exit'> {
  if (kind === 'succeeded') return 'success';
  return kind === 'cancelled' ? 'cancel' : 'failure';
}

/** What a handler runs after, in words. */
export const handlerMoments = {
  success: 'after a success',
  failure: 'after a failure',
  cancel: 'after it was cancelled',
  exit: 'at the end, however the run ended',
} as const satisfies Record<keyof Handlers, string>;

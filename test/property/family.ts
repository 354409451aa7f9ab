import type { RunMessage } from '#core/contract/seat.ts';
import type { Work } from '#core/run/command.ts';
import type { ParentRef } from '#core/run/event.ts';
import { type RunState, stepOf } from '#core/run/state.ts';

import type { Draw } from './world.ts';

/** A child run that has not ended. */
export interface Child {
  runId: string;
  parent: Omit<ParentRef, 'runId'>;
  cancelled: boolean;
}

type StartChild = Extract<Work, { do: 'startChild' }>;

/** The child runs of a simulated run: get-or-create by their place, and each tells its end once. */
export function createFamily() {
  const known = new Set<string>();
  const alive = new Map<string, Child>();

  return {
    alive: (): Child[] => [...alive.values()],
    born(state: RunState, work: StartChild): void {
      const runId = childName(state, work);
      if (known.has(runId)) return;
      known.add(runId);
      const { step, pass, index } = work;
      alive.set(runId, { runId, parent: { step, pass, index }, cancelled: false });
    },
    forget(runId: string): void {
      if (alive.delete(runId)) known.delete(runId);
    },
    cancel(runId: string): void {
      const child = alive.get(runId);
      if (child !== undefined) child.cancelled = true;
    },
    end(draw: Draw, id: string): RunMessage | undefined {
      const children = [...alive.values()];
      const child = children[draw(children.length)];
      if (child === undefined) return undefined;
      const { runId, parent, cancelled } = child;
      alive.delete(runId);
      const stop = cancelled ? ('cancelled' as const) : draw(3) === 0 ? ('failed' as const) : ('succeeded' as const);
      const spend = { usd: 0.01, estimated: false, inputTokens: 1, outputTokens: 1 };
      const toParent = { outputs: {}, spend, activeMs: draw(5000) };
      return { kind: 'childSettled', id, ...parent, runId, stop, toParent };
    },
  };
}

export function childName(state: RunState, work: StartChild): string {
  const { attempt } = stepOf(state, work.step);
  return `child_${work.step}_${work.pass}_${attempt}_${work.index}`;
}

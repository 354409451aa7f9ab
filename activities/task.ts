import { CancelledFailure, Context } from '@temporalio/activity';
import { Fault } from '#core/contract/fault.ts';
import { toFailure } from '#activities/failure.ts';
import type { HostDeps } from '#activities/host-deps.ts';

/** How often a host reports that it works; the engine is asked for cancellation with it. */
const heartbeatMs = 2_000;

const hostStops = 'The host was told to stop, or lost its lease; what it ran was ended.';

/** One activity as its code sees it. */
export interface Task {
  /** Names every containment of the task: a successor of this host kills them by it. */
  containmentId: string;
  /** Aborted when the work is to end: cancelled by the law, or the host stops or lost its lease. */
  signal: AbortSignal;
  /** 1 unless the engine gives the same task out again. */
  tries: number;
  /** What the next heartbeat carries (H1, H2). */
  report(progress: unknown): void;
  /** True when the host is told to stop or lost its lease, so that what was aborted counts as no one's failure. */
  stopping(): boolean;
}

/** What tasks of a host share. */
type Tasks = Pick<HostDeps, 'journal' | 'tenure' | 'occupancy'>;

/**
 * Runs host work as a task of the engine: heartbeats, the journal, faults as the engine knows them. Work that was
 * aborted because the host stops, or lost its lease, ends as `host/stopping`, so that it is begun again elsewhere or later.
 */
export async function asTask<T>(deps: Tasks, containmentId: string, work: (task: Task) => Promise<T>): Promise<T> {
  const context = Context.current();
  const leave = entered(deps, { token: context.info.taskToken, containmentId });
  let progress: unknown = null;
  const beat = setInterval(() => context.heartbeat(progress), heartbeatMs);
  const tenure = deps.tenure.enter(containmentId);
  const stopping = () => context.cancellationDetails?.workerShutdown === true || tenure.lost.aborted;
  const place = await deps.occupancy.take(placeOf(containmentId));
  try {
    return await work({
      containmentId,
      signal: AbortSignal.any([context.cancellationSignal, place.superseded, tenure.lost]),
      tries: context.info.attempt,
      report(latest) {
        progress = latest;
      },
      stopping,
    });
  } catch (error) {
    if (stopping()) throw toFailure(new Fault('host/stopping', hostStops, { cause: error }));
    throw toFailure(error);
  } finally {
    clearInterval(beat);
    place.leave();
    tenure.leave();
    leave();
  }
}

function entered(deps: Tasks, task: { token: Uint8Array; containmentId: string }): () => void {
  try {
    return deps.journal.enter(task);
  } catch (error) {
    throw toFailure(error);
  }
}

/** Of `run/step#2.1` the step: whatever is done for it, in whichever pass, is done by one at a time. */
function placeOf(containmentId: string): string {
  return containmentId.split('#', 1)[0] ?? containmentId;
}

/** Ends the task as cancelled, once nothing of it is alive any more. */
export function cancelled(task: Task): Error {
  if (task.stopping()) return new Fault('host/stopping', hostStops);
  return new CancelledFailure('The work was cancelled and has ended.');
}

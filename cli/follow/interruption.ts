import type { ApiClient } from '#cli/client/api-client.ts';
import type { FeedPatience } from '#cli/client/event-feed.ts';
import { messageOf } from '#cli/failure.ts';
import { comeBack, leftCancelling } from '#cli/follow/come-back.ts';
import type { Reporter, Showing } from '#cli/render/reporter.ts';

export interface FollowOptions extends Showing {
  /** What the first Ctrl-C does: leave the run going, or cancel it and wait until it is over (T-23). */
  onInterrupt: 'detach' | 'cancel';
  /** False: end with exit code 3 as soon as the run waits for a person. */
  wait: boolean;
  /** It was forked: what is the first run's is not told again, but with `json`. */
  forked?: boolean;
  /** Ctrl-C was pressed before: it is acted on at once. */
  interrupted?: boolean;
  patience?: FeedPatience;
  /** Time without an event after which it is asked why; default 5 s. */
  standstillMs?: number;
}

export interface Following {
  /** Aborted when the person leaves. */
  leave: AbortController;
  options: FollowOptions;
  /** Where a line beside the events goes at this moment. */
  note: Reporter['note'];
}

export interface Interruption {
  /** Ctrl-C. */
  press: () => void;
  /** What is said to a person who left: what becomes of the run, and how to come back. */
  farewell: () => string;
}

/** T-23: what Ctrl-C does to a run that is followed. The second one always leaves. */
export function openInterruption(client: Pick<ApiClient, 'cancel'>, runId: string, following: Following): Interruption {
  const { leave, options } = following;
  let cancel: 'asked' | 'taken' | 'refused' | undefined;
  const askToCancel = async (): Promise<void> => {
    try {
      await client.cancel(runId, 'Ctrl-C in the terminal that started it');
      cancel = 'taken';
    } catch (error) {
      cancel = 'refused';
      following.note({ tone: 'bad', text: `${runId} was not cancelled: ${messageOf(error)}` });
    }
  };
  return {
    press: () => {
      if (cancel !== undefined || options.onInterrupt === 'detach') {
        leave.abort();
        return;
      }
      cancel = 'asked';
      following.note({
        tone: 'warn',
        text: `Cancelling ${runId} and waiting until nothing of it runs; Ctrl-C again detaches`,
      });
      void askToCancel();
    },
    farewell: () => (cancel === undefined ? comeBack(runId) : leftCancelling(runId, cancel)),
  };
}

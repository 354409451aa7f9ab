import type { RunSummary } from '#core/run/summary.ts';

import type { ApiClient } from '#cli/client/api-client.ts';
import { ServerUnreachable } from '#cli/client/api-problem.ts';
import { messageOf } from '#cli/failure.ts';
import type { Reporter } from '#cli/render/reporter.ts';

/** Tells why a run does not move (E2), once for each reason. */
export interface Standstill {
  /** An event came. */
  moved(): void;
  stop(): void;
}

/**
 * Asks the server after `everyMs` without an event why that is: it knows what no event says, such as a host that was
 * not seen for some time. `seen` hears each answer.
 */
export function watchStandstill(
  client: ApiClient,
  runId: string,
  options: { everyMs: number; note: Reporter['note']; seen: (summary: RunSummary) => void },
): Standstill {
  let moved = false;
  let told: string | undefined;
  const look = async (): Promise<void> => {
    const { summary } = (await client.run(runId)).listed;
    options.seen(summary);
    const { why, remedy } = summary;
    if (why === undefined || why === told) return;
    told = why;
    options.note({ tone: 'warn', text: `waits: ${why}` });
    if (remedy !== undefined) options.note({ tone: 'warn', text: `  remedy: ${remedy}` });
  };
  const timer = setInterval(() => {
    if (moved) moved = false;
    else {
      look().catch((error: unknown) => {
        // The feed of events tells of a server that is away.
        if (!(error instanceof ServerUnreachable)) options.note({ tone: 'bad', text: messageOf(error) });
      });
    }
  }, options.everyMs);
  return {
    moved: () => {
      moved = true;
      told = undefined;
    },
    stop: () => clearInterval(timer),
  };
}

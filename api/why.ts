import type { RunSummary } from '#core/run/summary.ts';
import type { HostStore } from '#infra/postgres/host-store.ts';

/** A host renews every ten seconds, whatever it runs: a long check leaves no such gap (T-27). */
const silentSecondsAtMost = 15;

/**
 * The summary with what the record cannot know (E2): a run whose host is away does not move until the host is back,
 * whatever it last recorded. Both are observations, never a status (T-27).
 */
export async function withHost(summary: RunSummary, hosts: HostStore): Promise<RunSummary> {
  const { hostId, status } = summary;
  if (hostId === undefined || (status !== 'running' && status !== 'waiting')) return summary;
  const host = await hosts.find(hostId);
  if (host === undefined) return summary;
  if (!host.alive) {
    return {
      ...summary,
      why: `Host ${hostId} was last seen at ${host.lastSeenAt}; the run goes on when it is back.`,
      remedy: `setpoint worker host (on ${hostId}; on one machine: setpoint up)`,
    };
  }
  if (host.silentSeconds <= silentSecondsAtMost || status !== 'running') return summary;
  return {
    ...summary,
    why: `Host ${hostId} has not been heard of for ${host.silentSeconds} s, so the run seems stalled; it goes on by itself when the host answers, or once it counts as lost.`,
    remedy: `setpoint status (on ${hostId})`,
  };
}

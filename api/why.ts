import type { RunSummary } from '#core/run/summary.ts';
import type { HostStore } from '#infra/postgres/host-store.ts';

/**
 * The summary with what the record cannot know (E2): a run whose host is away does not move until the host is back,
 * whatever it last recorded.
 */
export async function withHost(summary: RunSummary, hosts: HostStore): Promise<RunSummary> {
  const { hostId, status } = summary;
  if (hostId === undefined || (status !== 'running' && status !== 'waiting')) return summary;
  const host = await hosts.find(hostId);
  if (host === undefined || host.alive) return summary;
  return {
    ...summary,
    why: `Host ${hostId} was last seen at ${host.lastSeenAt}; the run goes on when it is back.`,
    remedy: `setpoint worker host (on ${hostId}; on one machine: setpoint up)`,
  };
}

import type { RunListed } from '#core/contract/http.ts';

/** Why a run does not move and what clears it (E2), in one line for lists; undefined for one that moves or has ended. */
export function standstillText({ runId, summary }: Pick<RunListed, 'runId' | 'summary'>): string | undefined {
  const { status, why, remedy, task } = summary;
  if (status === 'ended' || why === undefined) return undefined;
  const command = task === undefined ? undefined : `setpoint approve ${task}`;
  const clears = remedy ?? command ?? (status === 'paused' ? `setpoint resume ${runId}` : undefined);
  if (clears === undefined) return why;
  return `${why}${/[.?!…]$/.test(why) ? '' : '.'} To clear it: ${clears}`;
}

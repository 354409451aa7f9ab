import type { RunListed } from '#core/contract/http.ts';

import { standstillText } from '#cli/render/standstill-text.ts';

/** What a run does now, in one line: of one that stands still why, and what clears that. Pure. */
export function nowLine({ runId, summary }: Pick<RunListed, 'runId' | 'summary'>): string {
  const { status, stop } = summary;
  if (stop !== undefined) return `${runId} has ended: ${stop.kind}. Look at it: setpoint show ${runId}`;
  const stands = standstillText({ runId, summary });
  if (stands !== undefined) return `${runId} is ${status}: ${stands}`;
  return `${runId} is ${status}. Follow it: setpoint watch ${runId}`;
}

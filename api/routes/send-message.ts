import type { Context } from 'hono';
import { ulid } from 'ulid';
import type { RunShown } from '#core/contract/http.ts';
import type { RunMessage } from '#core/contract/seat.ts';
import type { RunDefinition } from '#core/contract/steer.ts';
import { sendRunMessage } from '#infra/temporal/run-messages.ts';
import { openBell } from '#api/bell.ts';
import { principalOf } from '#api/http/bearer.ts';
import { statusOfFate } from '#api/http/refusal-status.ts';
import type { ApiParts } from '#api/parts.ts';
import { findRun } from '#api/routes/find-run.ts';
import { showRun } from '#api/routes/show-run.ts';

/** How long an applied message may take to show in the record before the state is answered without it. */
const recordedMs = 1_000;

/** Whose message it is, and under which id it counts once (D2). */
export function sentBy(c: Context, messageId: string | undefined): { id: string; by: string } {
  return { id: messageId ?? `msg_${ulid().toLowerCase()}`, by: principalOf(c).name };
}

/**
 * Puts a message to a run (decision 12, D2) and gives the run after it: 200 when it was applied, 202 while no worker has
 * answered. Throws the problem of a refusal.
 */
export async function sendAndShow(
  parts: ApiParts,
  c: Context,
  { runId, message, definition }: { runId: string; message: RunMessage; definition?: RunDefinition },
): Promise<{ run: RunShown; status: 200 | 202 }> {
  const { summary } = await findRun(parts.runs, runId);
  const bell = openBell(parts.stream, runId);
  try {
    const fate = await sendRunMessage(parts, runId, message, definition);
    const status = statusOfFate(fate, runId);
    const isShown = status === 202 || (await findRun(parts.runs, runId)).summary.seq > summary.seq;
    if (!isShown) await bell.wait(recordedMs, c.req.raw.signal);
    c.header('location', `/v1/runs/${runId}`);
    return { run: await showRun(parts, await findRun(parts.runs, runId)), status };
  } finally {
    bell.close();
  }
}

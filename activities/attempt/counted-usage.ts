import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AgentUsage } from '#core/agent/outcome.ts';
import { digestOf } from '#activities/texts.ts';

const Counted = z.object({
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
  costUsd: z.number().optional(),
});

/** Beside the session itself, so that both are lost or kept together. */
const fileOf = (home: string, session: string): string =>
  join(home, 'counted', `${digestOf(session).slice(0, 16)}.json`);

/** What was counted of a session before (H1); undefined when it is new. */
export async function countedUsage(home: string, session: string | undefined): Promise<AgentUsage | undefined> {
  if (session === undefined) return undefined;
  const text = await readFile(fileOf(home, session), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { costUsd, ...tokens } = Counted.parse(JSON.parse(text));
  return { ...tokens, ...(costUsd === undefined ? {} : { costUsd }), cumulative: true };
}

/** Keeps the totals of a session that tells totals. */
export async function rememberUsage(home: string, session: string | undefined, usage: AgentUsage): Promise<void> {
  if (session === undefined) return;
  await mkdir(join(home, 'counted'), { recursive: true });
  await writeFile(fileOf(home, session), JSON.stringify(usage));
}

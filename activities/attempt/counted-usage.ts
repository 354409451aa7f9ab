import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { AgentReport, AgentUsage } from '#core/agent/outcome.ts';
import { usageSince } from '#core/agent/usage.ts';
import { digestOf } from '#activities/texts.ts';

const Counted = z.object({
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
  costUsd: z.number().optional(),
});

const fileOf = (memory: string, session: string): string => join(memory, `${digestOf(session).slice(0, 16)}.json`);

/** What was counted of a session before (H1); undefined when it is new, or when what was kept cannot be read. */
export async function countedUsage(memory: string, session: string | undefined): Promise<AgentUsage | undefined> {
  if (session === undefined) return undefined;
  const text = await readFile(fileOf(memory, session), 'utf8').catch(() => undefined);
  const counted = text === undefined ? undefined : Counted.safeParse(jsonOf(text)).data;
  if (counted === undefined) return undefined;
  const { costUsd, ...tokens } = counted;
  return { ...tokens, ...(costUsd === undefined ? {} : { costUsd }), cumulative: true };
}

/** Half a file, which a crash can leave, is none. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps the totals of a session that tells totals, where its agent cannot reach them. */
export async function rememberUsage(memory: string, session: string | undefined, usage: AgentUsage): Promise<void> {
  if (session === undefined) return;
  await mkdir(memory, { recursive: true });
  await writeFile(fileOf(memory, session), JSON.stringify(usage));
}

/** What a report adds to what was counted of its session before (H1); its totals are kept for the next one. */
export async function newUsage(
  memory: string,
  { usage, sessionId }: Pick<AgentReport, 'usage' | 'sessionId'>,
): Promise<AgentUsage | undefined> {
  if (usage === undefined) return undefined;
  const added = usageSince(await countedUsage(memory, sessionId), usage);
  if (usage.cumulative) await rememberUsage(memory, sessionId, usage);
  return added;
}

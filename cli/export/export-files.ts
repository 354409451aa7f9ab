import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';

/** `state.json` is written first: it says whose files these are, also after a crash in the middle. */
export const exportedFiles = ['state.json', 'plan.json', 'events.jsonl', 'feedback.md', 'final-report.json'] as const;
export type ExportedFile = (typeof exportedFiles)[number];

export interface Export {
  runId: string;
  /** Absolute. */
  folder: string;
  texts: Readonly<Record<ExportedFile, string>>;
  /** Replace the files of another run. */
  force: boolean;
}

/**
 * Writes the files of a run into a folder, which is made if it is missing. Each is whole at every moment: written beside
 * itself, then renamed. Throws with exit code 2 when the folder holds such files of another run, or cannot be written.
 */
export async function writeExport({ runId, folder, texts, force }: Export): Promise<void> {
  if (!force) await refuseOther(folder, runId);
  try {
    await mkdir(folder, { recursive: true });
    for (const name of exportedFiles) await replaceWhole(join(folder, name), texts[name]);
  } catch (error) {
    throw new CliFailure(exitCodes.usage, `${folder} cannot be written: ${messageOf(error)}`, {
      remedy: 'name a folder that you can write',
      cause: error,
    });
  }
}

async function replaceWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.draft`;
  try {
    await writeFile(draft, text, { flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function refuseOther(folder: string, runId: string): Promise<void> {
  const texts = await Promise.all(exportedFiles.map((name) => readIfThere(join(folder, name))));
  const there = exportedFiles.filter((_, index) => texts[index] !== undefined);
  if (there.length === 0) return;
  const owner = ownerOf(texts[0]);
  if (owner === runId) return;
  const whose = owner === undefined ? 'files that may not be of this run' : `the files of ${owner}`;
  throw new CliFailure(exitCodes.usage, `${folder} holds ${whose}: ${there.join(', ')}`, {
    remedy: 'name another folder, or replace them with --force',
  });
}

const Owned = z.object({ runId: z.string() });

function ownerOf(state: string | undefined): string | undefined {
  if (state === undefined) return undefined;
  try {
    return Owned.safeParse(JSON.parse(state)).data?.runId;
  } catch {
    // No JSON: not ours.
    return undefined;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new CliFailure(exitCodes.usage, `${path} cannot be read: ${error.message}`, {
      remedy: 'name another folder, or replace it with --force',
      cause: error,
    });
  });
}

import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import type { CliContext } from '#cli/context.ts';
import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';

/** Throws with exit code 2 when something is there already: a file is never overwritten (T-22). */
export async function requireFree({ cwd }: CliContext, file: string): Promise<void> {
  const isThere = await access(resolve(cwd, file)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw unwritable(file, error);
    },
  );
  if (isThere) throw taken(file);
}

/** Writes a definition into a new file, with the folders above it. Throws with exit code 2 when that cannot be done. */
export async function writeDefinition({ cwd }: CliContext, file: string, text: string): Promise<void> {
  const path = resolve(cwd, file);
  await mkdir(dirname(path), { recursive: true }).catch((error: unknown) => {
    throw unwritable(file, error);
  });
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? taken(file, error) : unwritable(file, error);
  });
}

function taken(file: string, cause?: unknown): CliFailure {
  return new CliFailure(exitCodes.usage, `${file} is there already, and nothing is overwritten`, {
    remedy: 'name another file with --file PATH, or move that one away',
    cause,
  });
}

function unwritable(file: string, cause: unknown): CliFailure {
  return new CliFailure(exitCodes.usage, `${file} cannot be written: ${messageOf(cause)}`, {
    remedy: 'name a file in a folder that you may write to, with --file PATH',
    cause,
  });
}

import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '#infra/process/error-code.ts';

/**
 * Writes a file into a folder that a contained command could write. No link that the command planted is
 * followed: a link on the way becomes a real folder, and whatever stood at `path` is replaced. Nothing may run in the
 * folder meanwhile. `path` is absolute and inside `root`, which is made when it is missing.
 */
export async function writeInside(
  root: string,
  path: string,
  content: string | Uint8Array | Readable,
  mode = 0o600,
): Promise<void> {
  await makeFoldersInside(root, dirname(path));
  const temporary = join(dirname(path), `.${randomUUID()}`);
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const file = await open(temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, mode);
  try {
    await writeFile(file, content);
  } finally {
    await file.close();
  }
  await rm(path, { recursive: true, force: true });
  await rename(temporary, path);
}

/** Makes `folder` and every folder between it and `root` real ones: what else stands there, a link too, is removed. */
export async function makeFoldersInside(root: string, folder: string): Promise<void> {
  const inside = relative(root, folder);
  if (isAbsolute(inside) || inside.split(sep)[0] === '..') throw new TypeError(`${folder} is not inside ${root}`);
  await mkdir(root, { recursive: true });
  let at = root;
  for (const name of inside.split(sep).filter((part) => part !== '')) {
    at = join(at, name);
    if ((await statOf(at))?.isDirectory() === true) continue;
    await rm(at, { force: true });
    await mkdir(at);
  }
}

async function statOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

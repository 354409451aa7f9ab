import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '#infra/process/error-code.ts';

/**
 * Writes a file into a folder that a contained command could write. No link that the command planted is
 * followed: a link on the way becomes a real folder, and whatever stood at `path` is replaced. On Linux that holds while
 * another command changes the folder; elsewhere nothing may run in it meanwhile. `path` is absolute and inside `root`,
 * which is made when it is missing.
 */
export async function writeInside(
  root: string,
  path: string,
  content: string | Uint8Array | Readable,
  mode = 0o600,
): Promise<void> {
  const folder = await openInside(root, dirname(path));
  try {
    const temporary = join(folder.at, `.${randomUUID()}`);
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
    const file = await open(temporary, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, mode);
    try {
      await writeFile(file, content);
    } finally {
      await file.close();
    }
    const target = join(folder.at, basename(path));
    await rm(target, { recursive: true, force: true });
    await rename(temporary, target);
  } finally {
    await folder.close();
  }
}

/** Makes `folder` and every folder between it and `root` real ones: what else stands there, a link too, is removed. */
export async function makeFoldersInside(root: string, folder: string): Promise<void> {
  await (await openInside(root, folder)).close();
}

/** A folder that stays the same one, whatever its path comes to lead to. */
interface OpenFolder {
  /** A path to it. */
  at: string;
  close(): Promise<void>;
}

async function openInside(root: string, folder: string): Promise<OpenFolder> {
  const inside = relative(root, folder);
  if (isAbsolute(inside) || inside.split(sep)[0] === '..') throw new TypeError(`${folder} is not inside ${root}`);
  await mkdir(root, { recursive: true });
  const names = inside.split(sep).filter((part) => part !== '');
  return process.platform === 'linux' ? openStepwise(root, names) : makeByPath(root, names);
}

/** An open folder has a name below /proc, whose last part alone can be exchanged: a link there is not followed. */
async function openStepwise(root: string, names: readonly string[]): Promise<OpenFolder> {
  let handle = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  for (const name of names) {
    const parent = handle;
    try {
      handle = await realFolder(join(nameOf(parent), name));
    } finally {
      await parent.close();
    }
  }
  const opened = handle;
  return { at: nameOf(opened), close: () => opened.close() };
}

function nameOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

/** Whoever exchanges the folder at each look would be waited for without end. */
const mostLooks = 100;

async function realFolder(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  for (let look = 1; ; look += 1) {
    try {
      return await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    } catch (error) {
      const code = errorCode(error) ?? '';
      if (look === mostLooks || !['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) throw error;
      if (code !== 'ENOENT') await rm(path, { force: true }).catch(unless('ERR_FS_EISDIR'));
      await mkdir(path).catch(unless('EEXIST'));
    }
  }
}

/** Somebody else was quicker: the next look tells. */
function unless(code: string): (error: unknown) => void {
  return (error) => {
    if (errorCode(error) !== code) throw error;
  };
}

async function makeByPath(root: string, names: readonly string[]): Promise<OpenFolder> {
  let at = root;
  for (const name of names) {
    at = join(at, name);
    if ((await statOf(at))?.isDirectory() === true) continue;
    await rm(at, { force: true });
    await mkdir(at);
  }
  return { at, close: async () => undefined };
}

async function statOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

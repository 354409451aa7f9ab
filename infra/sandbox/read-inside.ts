import { constants } from 'node:fs';
import { lstat, open, realpath, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { errorCode } from '#infra/process/error-code.ts';

export type ReadInside =
  | { kind: 'file'; bytes: Buffer; changedMs: number }
  /** `absent`: nothing is there; `not_a_file`: a folder, a link, a pipe, or behind a link. */
  | { kind: 'absent' | 'not_a_file' | 'too_large' };

/**
 * Reads a file of a folder that a contained command could write. No link is followed, neither at the path nor on the way to
 * it, and nothing is waited for. `path` is relative to `root`. Nothing may run in the folder meanwhile.
 */
export async function readInside(root: string, path: string, maxBytes: number): Promise<ReadInside> {
  const target = join(root, path);
  const inside = relative(root, target);
  if (isAbsolute(inside) || inside.split(sep)[0] === '..') throw new TypeError(`${path} is not inside ${root}`);
  const folder = await reached(dirname(target));
  if (folder === undefined) return { kind: 'absent' };
  if (folder !== join(await realpath(root), dirname(inside))) return { kind: 'not_a_file' };
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const file = await open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return { kind: 'not_a_file' };
      if (stats.size > maxBytes) return { kind: 'too_large' };
      return { kind: 'file', bytes: await file.readFile(), changedMs: stats.ctimeMs };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { kind: unreadable(error) };
  }
}

/** What stands at a path of such a folder; `not_real` is a link, or what is behind one, and anything but a file or folder. */
export async function kindInside(root: string, path: string): Promise<'file' | 'folder' | 'absent' | 'not_real'> {
  const way = await wayTo(root, path);
  if (way !== 'real') return way === 'absent' ? 'absent' : 'not_real';
  try {
    const stats = await lstat(join(root, path));
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() ? 'file' : 'not_real';
  } catch (error) {
    if (isAbsence(errorCode(error))) return 'absent';
    throw error;
  }
}

/** Removes whatever stands at a path of such a folder, a link itself and not what it names; behind a link nothing. */
export async function removeInside(root: string, path: string): Promise<void> {
  if ((await wayTo(root, path)) === 'real') await rm(join(root, path), { recursive: true, force: true });
}

/** Whether the folder that a path is in is there, and reached without a link below `root`. */
async function wayTo(root: string, path: string): Promise<'real' | 'absent' | 'not_a_file'> {
  const inside = relative(root, join(root, path));
  if (isAbsolute(inside) || inside.split(sep)[0] === '..') throw new TypeError(`${path} is not inside ${root}`);
  const [top, folder] = await Promise.all([reached(root), reached(dirname(join(root, path)))]);
  if (top === undefined || folder === undefined) return 'absent';
  return folder === join(top, dirname(inside)) ? 'real' : 'not_a_file';
}

async function reached(folder: string): Promise<string | undefined> {
  try {
    return await realpath(folder);
  } catch (error) {
    if (isAbsence(errorCode(error)) || errorCode(error) === 'ELOOP') return undefined;
    throw error;
  }
}

function unreadable(error: unknown): 'absent' | 'not_a_file' {
  const code = errorCode(error);
  if (isAbsence(code)) return 'absent';
  if (code === 'ELOOP' || code === 'EMLINK' || code === 'EISDIR' || code === 'ENXIO' || code === 'EACCES') {
    return 'not_a_file';
  }
  throw error;
}

function isAbsence(code: string | undefined): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

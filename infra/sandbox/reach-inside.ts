import { type FileHandle, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { errorCode } from '#infra/process/error-code.ts';
import { openFileInside } from '#infra/sandbox/open-inside.ts';

/** What a path of a folder leads to once its links are followed; `inside`: its place below the folder, without links. */
export type Reached = { kind: 'inside'; path: string } | { kind: 'absent' | 'outside' };

const absences = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM'];

/** Follows the links of a folder that a contained command could write, and tells where they lead. `path` is relative to `root`. */
export async function reachInside(root: string, path: string): Promise<Reached> {
  try {
    const [top, target] = await Promise.all([realpath(root), realpath(resolve(root, path))]);
    if (target !== top && !target.startsWith(`${top}${sep}`)) return { kind: 'outside' };
    return { kind: 'inside', path: join(root, relative(top, target)) };
  } catch (error) {
    if (absences.includes(errorCode(error) ?? '')) return { kind: 'absent' };
    throw error;
  }
}

/** The folder at a path: it is there, or what is there instead. */
export async function folderInside(root: string, path: string): Promise<Reached | { kind: 'no_folder' }> {
  const reached = await reachInside(root, path);
  if (reached.kind !== 'inside') return reached;
  return (await stat(reached.path)).isDirectory() ? reached : { kind: 'no_folder' };
}

export type FileReached =
  | { kind: 'file'; bytes: Uint8Array; truncated: boolean }
  | { kind: 'absent' | 'outside' | 'not_a_file' };

/** The first `mostBytes` of a plain file: links lead nowhere outside the folder, and a pipe is not waited for. */
export async function readReached(root: string, path: string, mostBytes: number): Promise<FileReached> {
  const reached = await reachInside(root, path);
  if (reached.kind !== 'inside') return reached;
  const file = await openFileInside(root, relative(root, reached.path));
  if (file === undefined) return { kind: 'not_a_file' };
  try {
    return await firstOf(file, mostBytes);
  } finally {
    await file.close();
  }
}

async function firstOf(file: FileHandle, mostBytes: number): Promise<FileReached> {
  const { size } = await file.stat();
  const room = Buffer.alloc(Math.min(size, mostBytes) + 1);
  const { bytesRead } = await file.read(room, 0, room.length, 0);
  const bytes = room.subarray(0, Math.min(bytesRead, mostBytes));
  return { kind: 'file', bytes, truncated: bytesRead > mostBytes };
}

import { constants } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { errorCode } from '#infra/process/error-code.ts';

const unreadable = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'EISDIR', 'ENXIO'];

/**
 * Opens a plain file of a folder that a contained command may be changing: a pipe is not waited for, and what was opened lies
 * in the folder, whatever its path led through by then. Undefined where there is no such file to be read. `path` is relative
 * to `root`.
 */
export async function openFileInside(root: string, path: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    const file = await open(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if ((await file.stat()).isFile() && (await isInside(file, root))) return file;
    await file.close();
    return undefined;
  } catch (error) {
    if (unreadable.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function isInside(file: FileHandle, root: string): Promise<boolean> {
  const [at, top] = [await placeOf(file), await placeOfFolder(root)];
  return at === undefined || top === undefined || at.startsWith(`${top}${sep}`);
}

async function placeOfFolder(path: string): Promise<string | undefined> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await placeOf(folder);
  } finally {
    await folder.close();
  }
}

/** Where an open file lies; undefined on systems that do not tell. */
function placeOf(file: FileHandle): Promise<string | undefined> {
  return readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined);
}

import { randomBytes } from 'node:crypto';
import { lstat, readFile, rename, writeFile } from 'node:fs/promises';
import type { Stats } from 'node:fs';

/** Whether an error of the file system says that there is nothing at that path. */
export function isAbsent(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The file's text, or undefined when nothing (or no file) is there. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error) || hasCode(error, 'EISDIR')) return undefined;
    throw error;
  }
}

/** What is at the path itself (a link is not followed), or undefined. */
export async function look(path: string | Buffer): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** Replaces the file's whole text in one step: a crash leaves the old text or the new. */
export async function replaceText(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, text);
  await rename(draft, path);
}

/** Renames `path` to the first free `<stem><n>`, n from 1, and gives that name. */
export async function moveToFree(path: string, stem: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const target = `${stem}${n}`;
    if ((await look(target)) === undefined) {
      await rename(path, target);
      return target;
    }
  }
}

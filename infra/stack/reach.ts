import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

export interface Account {
  uid: number;
  gid: number;
}

/**
 * Whether an account that is not root may pass through every folder above `path` (existing ones; those missing are ours to
 * create). A home such as `/root` with mode 700 shuts every other account out of all that is below it.
 */
export async function canReach(path: string, account: Account): Promise<boolean> {
  for (let folder = await realParent(resolve(path)); ; folder = dirname(folder)) {
    if (!(await mayEnter(folder, account))) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** The nearest folder above that exists, without links on the way: what lies above a link's target counts. */
async function realParent(path: string): Promise<string> {
  const parent = dirname(path);
  return realpath(parent).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return realParent(parent);
    throw error;
  });
}

async function mayEnter(folder: string, account: Account): Promise<boolean> {
  const found = await stat(folder);
  const bit = found.uid === account.uid ? 0o100 : found.gid === account.gid ? 0o010 : 0o001;
  return (found.mode & bit) !== 0;
}

import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { errorCode } from '#infra/process/error-code.ts';

/**
 * The git folders outside a linked worktree that git needs to read inside it: the worktree's own, and the main
 * repository's. Empty for an ordinary checkout, whose `.git` is a folder in the workspace.
 *
 * An agent can write the `.git` file, so its word alone opens nothing (F6): the folder that it names must be a
 * `worktrees/<name>` of a repository and must itself name this workspace, which only git on the host can arrange.
 */
export function gitFoldersOf(workspace: string): string[] {
  const named = /^gitdir: (.+)$/m.exec(readIfFile(resolve(workspace, '.git')) ?? '')?.[1];
  if (named === undefined) return [];
  const own = resolve(workspace, named.trim());
  const backLink = readIfFile(resolve(own, 'gitdir'))?.trim();
  if (backLink === undefined || resolve(own, backLink) !== resolve(workspace, '.git')) return [];
  const common = resolve(own, '../..');
  const isWorktree = basename(dirname(own)) === 'worktrees' && realpathSync(own) === own;
  return isWorktree && readIfFile(resolve(common, 'HEAD')) !== undefined ? [common] : [];
}

function readIfFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorCode } from '#infra/process/error-code.ts';

/**
 * The git folders outside a linked worktree that git needs to read inside it: the worktree's own, and the main
 * repository's. Empty for an ordinary checkout, whose `.git` is a folder in the workspace.
 */
export function gitFoldersOf(workspace: string): string[] {
  const link = readIfFile(resolve(workspace, '.git'));
  const named = link === undefined ? undefined : /^gitdir: (.+)$/m.exec(link)?.[1];
  if (named === undefined) return [];
  const own = resolve(workspace, named.trim());
  const common = readIfFile(resolve(own, 'commondir'));
  return common === undefined ? [own] : [resolve(own, common.trim()), own];
}

function readIfFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

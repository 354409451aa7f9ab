import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode } from '#infra/process/error-code.ts';
import { withoutCredentials } from '#infra/sandbox/git-config.ts';

/** What a linked worktree needs of git outside itself, read-only. */
export interface WorktreeGit {
  /** The main repository's git folder, with the worktree's own in it; absent for an ordinary checkout. */
  folders: string[];
  /** Files of it that are shown as others: `shown` stands at `path`. */
  covered: { path: string; shown: string }[];
}

const nothing: WorktreeGit = { folders: [], covered: [] };

/**
 * The git folders outside a linked worktree that git needs to read inside it: the worktree's own, and the main
 * repository's. Nothing for an ordinary checkout, whose `.git` is a folder in the workspace. The repository's
 * settings can hold a token: they are shown without credentials.
 *
 * An agent can write the `.git` file, so its word alone opens nothing (F6): the folder that it names must be a
 * `worktrees/<name>` of a repository and must itself name this workspace, which only git on the host can arrange.
 */
export function worktreeGitOf(workspace: string): WorktreeGit {
  const named = /^gitdir: (.+)$/m.exec(readIfFile(resolve(workspace, '.git')) ?? '')?.[1];
  if (named === undefined) return nothing;
  const own = resolve(workspace, named.trim());
  const backLink = readIfFile(resolve(own, 'gitdir'))?.trim();
  if (backLink === undefined || resolve(own, backLink) !== resolve(workspace, '.git')) return nothing;
  const common = resolve(own, '../..');
  const isWorktree = basename(dirname(own)) === 'worktrees' && realpathSync(own) === own;
  if (!isWorktree || readIfFile(resolve(common, 'HEAD')) === undefined) return nothing;
  const covered = ['config', 'config.worktree'].flatMap((name) => coverFor(join(common, name), own));
  return { folders: [common], covered };
}

/** The settings without credentials lie in the worktree's own git folder, which goes when the worktree goes. */
function coverFor(path: string, own: string): WorktreeGit['covered'] {
  const settings = readIfFile(path);
  if (settings === undefined) return [];
  const open = withoutCredentials(settings);
  if (open === settings) return [];
  const shown = join(own, `setpoint-${basename(path)}`);
  if (readIfFile(shown) !== open) writeWhole(shown, open);
  return [{ path, shown }];
}

/** Never half a file: another sandbox of the worktree may be starting. */
function writeWhole(path: string, content: string): void {
  const temporary = `${path}.${randomUUID()}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

function readIfFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

import { join } from 'node:path';
import { onDisk, type RawPath, untrackedLike } from '#infra/git/changes.ts';
import { ownGitDir, type Workspace, workspaceGit } from '#infra/git/control.ts';
import { look, readText, replaceText } from '#infra/git/files.ts';
import { locked } from '#infra/git/snapshot.ts';

/** A file of the workspace. `path` is relative to it, with `/`. */
export interface KeptPath {
  path: string;
  bytes: number;
}

/**
 * Leaves files that fit the globs out of every snapshot, and so out of what is delivered, unless git tracks them: what a run
 * hands to the next one is no work of either (D-23, F2). Safe to repeat. Throws `workspace/missing`, `workspace/locked`.
 */
export function excludeKept(worktree: string, globs: readonly string[]): Promise<void> {
  return locked(worktree, async ({ path }) => {
    const file = join(ownGitDir(path), 'info', 'exclude');
    const before = (await readText(file)) ?? '';
    const known = new Set(before.split('\n'));
    const lines = globs.map(ignoreLine).filter((line) => !known.has(line));
    if (lines.length > 0) await replaceText(file, `${before.replace(/\n?$/, '\n')}${lines.join('\n')}\n`);
  });
}

/** The same glob from the root of the workspace, in the syntax of ignore files: there a space at the end would be lost. */
function ignoreLine(glob: string): string {
  return `/${glob.replaceAll(' ', String.raw`\ `)}`;
}

/**
 * The plain files that fit the globs and that git does not track, ignored or not, by path; links are left out, and none is
 * followed. Names that are no UTF-8 are left out, too: no record could hold them. Throws `workspace/missing`,
 * `workspace/locked`, `workspace/git-failed`.
 */
export function untrackedFiles(worktree: string, globs: readonly string[]): Promise<KeptPath[]> {
  return locked(worktree, async (workspace) => {
    const files: KeptPath[] = [];
    for (const raw of await untrackedLike(workspace, globs)) {
      const path = textOf(raw);
      const there = path === undefined ? undefined : await look(onDisk(workspace, raw));
      if (path !== undefined && there?.isFile() === true) files.push({ path, bytes: there.size });
    }
    return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  });
}

/** Those of the paths at or above or below which git tracks something: there the workspace is as its base says. */
export function trackedAt(worktree: string, paths: readonly string[]): Promise<Set<string>> {
  return locked(worktree, async (workspace) => {
    const tracked = new Set(await trackedPaths(workspace));
    const folders = new Set([...tracked].flatMap(above));
    return new Set(
      paths.filter(
        (path) => tracked.has(path) || folders.has(path) || above(path).some((folder) => tracked.has(folder)),
      ),
    );
  });
}

async function trackedPaths(workspace: Workspace): Promise<string[]> {
  const listed = await workspaceGit(workspace, { args: ['ls-files', '--cached', '-z'], text: 'paths' });
  return listed.stdout.split('\0').flatMap((raw) => (raw === '' ? [] : [Buffer.from(raw, 'latin1').toString('utf8')]));
}

/** The folders that a path is in. */
function above(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function textOf(raw: RawPath): string | undefined {
  const bytes = Buffer.from(raw, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

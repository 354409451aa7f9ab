import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '#core/workspace/snapshot.ts';
import { look, moveToFree, readText } from '#infra/git/files.ts';
import { controlDir, ownIndex, type Workspace, type WorkspaceRecord } from '#infra/git/control.ts';

/** Whether the worktree's `.git` file and the repository still know each other. */
export async function isConnected(path: string, record: WorkspaceRecord): Promise<boolean> {
  return (await pointsToUs(path, record)) && (await isRegistered(record));
}

/**
 * Makes `.git` of the workspace ours again, keeping what was put in its place (R025). Our own git never reads it; the
 * agent and the checks do.
 */
export async function mendPointer(workspace: Workspace): Promise<Finding[]> {
  const { path, record } = workspace;
  const findings: Finding[] = [];
  if (!(await isRegistered(record))) {
    await registerAgain(workspace);
    findings.push({
      kind: 'pointer_replaced',
      detail:
        'The repository did not know this worktree any more; it was registered again. Its staged changes and HEAD log are lost, its files are not.',
    });
  }
  if (await pointsToUs(path, record)) return findings;
  const pointer = join(path, '.git');
  const movedTo =
    (await look(pointer)) === undefined
      ? undefined
      : await moveToFree(pointer, join(controlDir(path), 'replaced-git-'));
  await writeFile(pointer, record.pointer);
  const detail =
    movedTo === undefined
      ? '`.git` of the workspace was gone and was put back.'
      : `\`.git\` of the workspace was replaced by other content, which was moved to ${movedTo}.`;
  findings.push({ kind: 'pointer_replaced', detail, ...(movedTo === undefined ? {} : { movedTo }) });
  return findings;
}

async function pointsToUs(path: string, record: WorkspaceRecord): Promise<boolean> {
  const pointer = join(path, '.git');
  return (await look(pointer))?.isFile() === true && (await readText(pointer)) === record.pointer;
}

async function isRegistered(record: WorkspaceRecord): Promise<boolean> {
  const [head, gitdir] = await Promise.all([
    look(join(record.adminDir, 'HEAD')),
    look(join(record.adminDir, 'gitdir')),
  ]);
  return head !== undefined && gitdir !== undefined;
}

async function registerAgain({ path, record }: Workspace): Promise<void> {
  await mkdir(record.adminDir, { recursive: true });
  await writeFile(join(record.adminDir, 'commondir'), '../..\n');
  await writeFile(join(record.adminDir, 'gitdir'), `${join(path, '.git')}\n`);
  await writeFile(join(record.adminDir, 'HEAD'), record.headText);
  await copyFile(ownIndex(path), join(record.adminDir, 'index'));
}

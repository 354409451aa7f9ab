import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '#infra/git/git.ts';
import { isAbsent, readText, replaceText } from '#infra/git/files.ts';
import type { Workspace } from '#infra/git/control.ts';

/** The worktree's HEAD: the text of its file and the commit it stands for (all zeros when that has none yet). */
export interface Head {
  text: string;
  commit: string;
  /** Size of HEAD's log: it grows with each commit, checkout or reset. */
  logBytes: number;
}

export async function readHead(workspace: Workspace): Promise<Head> {
  const { record } = workspace;
  const text = (await readText(join(record.adminDir, 'HEAD'))) ?? '';
  const logBytes = await size(headLog(workspace));
  const plain = text.trim();
  if (plain.length === record.base.length && /^[0-9a-f]+$/.test(plain)) return { text, commit: plain, logBytes };
  const found = await git({
    args: [`--git-dir=${record.adminDir}`, 'rev-parse', '--verify', '-q', 'HEAD^{commit}'],
    cwd: record.commonDir,
    answers: [1, 128],
  });
  return { text, commit: found.exitCode === 0 ? found.stdout.trim() : '0'.repeat(record.base.length), logBytes };
}

/** Puts HEAD back as it was at the last snapshot. */
export async function restoreHead(workspace: Workspace): Promise<void> {
  await replaceText(join(workspace.record.adminDir, 'HEAD'), workspace.record.headText);
}

export function headLog(workspace: Workspace): string {
  return join(workspace.record.adminDir, 'logs', 'HEAD');
}

async function size(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isAbsent(error)) return 0;
    throw error;
  }
}

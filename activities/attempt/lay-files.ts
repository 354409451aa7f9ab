import { lstat, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentInvocation } from '#activities/agents/adapter.ts';
import { makeFoldersInside, writeInside } from '#infra/sandbox/write-inside.ts';

/**
 * Puts the files of an invocation into the agent's HOME, and the sign-in files of the host's user that are not there
 * yet. The HOME is the agent's to write, so no link in it is followed.
 */
export async function layFiles(
  { home, userHome }: { home: string; userHome: string },
  invocation: Pick<AgentInvocation, 'files' | 'signInFiles'>,
): Promise<void> {
  for (const { path, content } of invocation.files) await writeInside(home, path, content);
  for (const name of invocation.signInFiles) {
    const [from, to] = [join(userHome, name), join(home, name)];
    // The user's own file may well be a link; only its absence is ordinary.
    const there = await stat(from).catch(() => undefined);
    if (there?.isFile() !== true) continue;
    await makeFoldersInside(home, dirname(to));
    const copied = await lstat(to).catch(() => undefined);
    if (copied?.isFile() !== true) await writeInside(home, to, await readFile(from));
  }
}

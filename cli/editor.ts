import { spawn } from 'node:child_process';

import type { CliContext } from '#cli/context.ts';
import { CliFailure, exitCodes } from '#cli/failure.ts';

const defaultEditor = 'vi';

/**
 * Opens a file in the editor that `VISUAL` or `EDITOR` names, which may be a command with arguments, and waits until it
 * is closed. Throws with exit code 2 when it could not be started or failed.
 */
export async function openEditor({ environment, cwd }: CliContext, path: string): Promise<void> {
  const editor = environment.editor ?? defaultEditor;
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, editor, path], { cwd, stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return;
  throw new CliFailure(exitCodes.usage, `the editor (${editor}) ended with ${code ?? 'a signal'}; nothing was sent`, {
    remedy: `set EDITOR to one that is installed, or edit ${path} and name it`,
  });
}

import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';
import { demoDefinition, demoDefinitionFile, demoFiles } from '#cli/demo/demo-files.ts';

const gitLimitMs = 30_000;

/**
 * Makes the demo's git repository with one commit, in `dir`, or in the first free `setpoint-demo-<n>` of `cwd`.
 * Needs no git identity and runs no hook of the user's. Gives the absolute folder. Throws with exit code 2 when `dir`
 * holds something, 5 when git fails.
 */
export async function createDemoRepository(cwd: string, options: { dir?: string; agent?: string }): Promise<string> {
  const folder = options.dir === undefined ? await freeFolder(cwd) : await emptyFolder(resolve(cwd, options.dir));
  const files = { ...demoFiles, [demoDefinitionFile]: demoDefinition(options.agent) };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
  await git(folder, ['init', '--quiet', '--initial-branch=main', '--template=']);
  await git(folder, ['add', '--all']);
  const identity = ['-c', 'user.name=Setpoint demo', '-c', 'user.email=demo@setpoint.invalid'];
  const plain = ['-c', 'commit.gpgSign=false', '-c', 'core.hooksPath=/dev/null'];
  await git(folder, [...identity, ...plain, 'commit', '--quiet', '-m', 'Two functions, each with a mistake']);
  return folder;
}

async function freeFolder(cwd: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const folder = join(cwd, `setpoint-demo-${n}`);
    const made = await mkdir(folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw new CliFailure(exitCodes.usage, `${folder} cannot be made: ${messageOf(error)}`, {
          remedy: 'go to a folder that you may write to, or name one with --dir',
          cause: error,
        });
      },
    );
    if (made) return folder;
  }
}

async function emptyFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length === 0) return folder;
  throw new CliFailure(exitCodes.usage, `${folder} is not empty`, { remedy: 'name a new folder with --dir' });
}

async function git(folder: string, argv: readonly string[]): Promise<void> {
  await promisify(execFile)('git', ['-C', folder, ...argv], { timeout: gitLimitMs }).catch((error: unknown) => {
    throw new CliFailure(exitCodes.infrastructure, `git could not make the demo's repository: ${messageOf(error)}`, {
      remedy: 'check that git 2.28 or newer is installed (`git --version`)',
      cause: error,
    });
  });
}

import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod';

import type { WorkspacePlan } from '#core/plan/plan.ts';

import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';

const gitLimitMs = 30_000;

/** It ran and ended by itself: the code is no name of a system's error. */
const GitFailure = z.object({ code: z.int(), stdout: z.string(), stderr: z.string() });

/**
 * The commit that a run would start from. An address is asked for its refs; a folder must hold the commit. Throws with
 * exit code 5 where the run would be `failed_to_start`.
 */
export async function gitBase(workspace: WorkspacePlan, cwd: string): Promise<string> {
  const remote = /^[a-z+]+:\/\/|^[^/]+@[^/]+:/.test(workspace.repo);
  return remote ? remoteBase(workspace) : localBase(resolve(cwd, workspace.repo), workspace.base);
}

/** A run without a worktree works in the folder itself. Throws with exit code 5 where there is none. */
export async function requireFolder({ repo }: WorkspacePlan, cwd: string): Promise<void> {
  const folder = resolve(cwd, repo);
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw notStartable(`${folder} is no folder (workspace/not-a-repository)`, 'Name one that exists.');
}

async function remoteBase({ repo, base = 'HEAD' }: WorkspacePlan): Promise<string> {
  const { ok, stdout } = await git('ls-remote', '--exit-code', repo, base);
  if (ok) return stdout.split(/\s/)[0] ?? '';
  throw notStartable(`${repo} has no commit ${base} to start from`, 'name another `workspace.base`');
}

/** With the words of the run that would fail to start. */
async function localBase(folder: string, base: string | undefined): Promise<string> {
  const { stdout, stderr } = await git('-C', folder, 'rev-parse', '--absolute-git-dir', '--show-toplevel');
  const [gitDir = '', top = gitDir] = stdout.split('\n').filter((line) => line !== '');
  if (gitDir === '') {
    throw notStartable(
      `${folder} is not inside a git repository with a checkout (${stderr.split('\n')[0]}) (workspace/not-a-repository)`,
      'Run `git init` there and make a first commit, or name a folder inside a repository.',
    );
  }
  for (const name of base === undefined ? ['HEAD'] : [base, `refs/remotes/origin/${base}`]) {
    const found = await git('-C', folder, 'rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`);
    if (found.ok) return found.stdout.trim();
  }
  if (base === undefined) {
    const cause = `${top} has no commit on its current branch, so there is no base to work from`;
    throw notStartable(`${cause} (workspace/base-unknown)`, 'Make a first commit.');
  }
  throw notStartable(
    `The base "${base}" is no branch, tag or commit of ${top} (workspace/base-unknown)`,
    'Name one that exists (`git branch -a` lists them), or fetch it first.',
  );
}

function notStartable(cause: string, remedy: string): CliFailure {
  return new CliFailure(exitCodes.infrastructure, cause, { remedy });
}

/** What git says, also when it fails. Throws with exit code 5 when it cannot be asked. */
async function git(...argv: string[]): Promise<{ ok: boolean; stdout: string; stderr: string }> {
  try {
    return { ok: true, ...(await promisify(execFile)('git', argv, { timeout: gitLimitMs })) };
  } catch (error) {
    const failed = GitFailure.safeParse(error).data;
    if (failed !== undefined) return { ok: false, ...failed };
    throw new CliFailure(exitCodes.infrastructure, `git cannot be asked: ${messageOf(error)}`, {
      remedy: 'install git, and put it on PATH',
      cause: error,
    });
  }
}

import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod';

import type { StartRun } from '#core/contract/http.ts';
import type { Issue } from '#core/issue/issue.ts';
import type { Plan, WorkspacePlan } from '#core/plan/plan.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import { compileHere, type DefinitionFile } from '#cli/commands/definition-file.ts';
import { isNotOurStack, withIssues } from '#cli/commands/submit-run.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes, messageOf } from '#cli/failure.ts';
import { issueLines } from '#cli/render/issue-lines.ts';
import { serverAddress } from '#cli/stack/server-address.ts';
import type { Settings } from '#cli/settings.ts';

export interface DryRun {
  definition: DefinitionFile;
  body: StartRun;
  json: boolean;
}

/**
 * Compiles the definition and checks the git base that the run would start from. Creates and starts nothing (T-22).
 * Exit code 2 for an invalid definition, 5 where the run would be `failed_to_start`.
 */
export async function dryRun(context: CliContext, settings: Settings, request: DryRun): Promise<ExitCode> {
  const { plan, warnings } = await planOf(settings, request);
  for (const line of issueLines(request.definition.file, warnings)) context.terminal.err(line);
  const base = plan.workspace.worktree ? await baseOf(plan.workspace, context.cwd) : null;
  const steps = plan.steps.map((step) => step.id);
  if (request.json || !context.terminal.interactive) {
    context.terminal.out(JSON.stringify({ dryRun: true, name: plan.name, project: plan.project, steps, base }));
    return exitCodes.succeeded;
  }
  context.terminal.out(`${plan.name}: ${steps.join(', ')}`);
  context.terminal.out(base === null ? 'works in the checkout itself' : `starts from commit ${base}`);
  context.terminal.out('Nothing was created (--dry-run).');
  return exitCodes.succeeded;
}

/** By the server where one answers, since its version runs the plan; else here. */
async function planOf(settings: Settings, request: DryRun): Promise<{ plan: Plan; warnings: Issue[] }> {
  const address = await serverAddress(settings);
  if (address !== undefined) {
    const shown = await createApiClient(address)
      .plan(request.body)
      .catch((error: unknown) => {
        if (settings.server === undefined && isNotOurStack(error)) return undefined;
        throw withIssues(error, request.definition.file);
      });
    if (shown !== undefined) return shown;
  }
  const { overrides } = request.body;
  return compileHere(request.definition, overrides === undefined ? {} : { overrides });
}

const gitLimitMs = 30_000;

/** It ran and ended by itself: the code is no name of a system's error. */
const GitFailure = z.object({ code: z.int(), stdout: z.string(), stderr: z.string() });

/** The commit that the run would start from. An address is asked for its refs; a folder must hold the commit. */
async function baseOf(workspace: WorkspacePlan, cwd: string): Promise<string> {
  const remote = /^[a-z+]+:\/\/|^[^/]+@[^/]+:/.test(workspace.repo);
  return remote ? remoteBase(workspace) : localBase(resolve(cwd, workspace.repo), workspace.base);
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

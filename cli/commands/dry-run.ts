import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import type { StartRun } from '#core/contract/http.ts';
import type { Issue } from '#core/issue/issue.ts';
import type { Plan, WorkspacePlan } from '#core/plan/plan.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import { compileHere, type DefinitionFile } from '#cli/commands/definition-file.ts';
import { isNotOurStack, withIssues } from '#cli/commands/submit-run.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
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

/** The commit that the run would start from. An address is asked for its refs; a folder must hold the commit. */
async function baseOf(workspace: WorkspacePlan, cwd: string): Promise<string> {
  const base = workspace.base ?? 'HEAD';
  const remote = /^[a-z+]+:\/\/|^[^/]+@[^/]+:/.test(workspace.repo);
  const folder = resolve(cwd, workspace.repo);
  const argv = remote
    ? ['ls-remote', '--exit-code', workspace.repo, base]
    : ['-C', folder, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`];
  try {
    const { stdout } = await promisify(execFile)('git', argv, { timeout: gitLimitMs });
    return stdout.split(/\s/)[0] ?? '';
  } catch (error) {
    const where = remote ? workspace.repo : folder;
    throw new CliFailure(exitCodes.infrastructure, `${where} has no commit ${base} to start from`, {
      remedy: 'run this in a git repository with at least one commit, or name another `workspace.base`',
      cause: error,
    });
  }
}

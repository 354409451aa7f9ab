import type { StartRun } from '#core/contract/http.ts';
import { present } from '#core/definition/present.ts';
import type { Issue } from '#core/issue/issue.ts';
import { explainDelivery, explainLimits } from '#core/plan/explain.ts';
import { resolveInputs } from '#core/plan/inputs.ts';
import type { Plan } from '#core/plan/plan.ts';

import { createApiClient } from '#cli/client/api-client.ts';
import { compileHere, type DefinitionFile, InvalidDefinition } from '#cli/commands/definition-file.ts';
import { gitBase, requireFolder } from '#cli/commands/git-base.ts';
import { requireAgents } from '#cli/commands/plan-agents.ts';
import { isNotOurStack, withIssues } from '#cli/commands/submit-run.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { issueLines } from '#cli/render/issue-lines.ts';
import { serverAddress } from '#cli/stack/server-address.ts';
import type { Settings } from '#cli/settings.ts';

export interface DryRun {
  definition: DefinitionFile;
  body: StartRun;
  json: boolean;
}

/** What a run would be. */
interface WouldRun {
  plan: Plan;
  inputs: Record<string, string>;
  /** The commit that it would start from; null where it works in the checkout itself. */
  base: string | null;
  /** Programs that would work; null where a server of its own has the hosts, which this machine cannot ask. */
  agents: string[] | null;
}

/**
 * Checks all that a run needs before it starts: the definition, its inputs, the git base, the agents. Creates and starts
 * nothing (T-22). Exit code 2 for a definition or an input, 5 where the run would be `failed_to_start`.
 */
export async function dryRun(context: CliContext, settings: Settings, request: DryRun): Promise<ExitCode> {
  const { plan, warnings } = await planOf(settings, request);
  const inputs = inputsOf(plan, request);
  for (const line of issueLines(request.definition.file, warnings)) context.terminal.err(line);
  const { workspace } = plan;
  const base = workspace.worktree ? await gitBase(workspace, context.cwd) : null;
  if (!workspace.worktree && settings.server === undefined) await requireFolder(workspace, context.cwd);
  const agents = settings.server === undefined ? await requireAgents(context, plan) : null;
  tell(context, { plan, inputs, base, agents }, request.json);
  return exitCodes.succeeded;
}

function tell({ terminal }: CliContext, would: WouldRun, json: boolean): void {
  const { plan, inputs, base, agents } = would;
  const { name, project, limits, deliver } = plan;
  const steps = plan.steps.map((step) => step.id);
  if (json || !terminal.interactive) {
    const told = { dryRun: true, name, project, steps, base, agents, inputs, limits, delivery: deliver };
    terminal.out(JSON.stringify(told));
    return;
  }
  terminal.out(`${name} (project ${project}): ${steps.join(', ')}`);
  for (const [input, value] of Object.entries(inputs)) terminal.out(`input ${input}: ${value}`);
  for (const line of explainLimits(limits)) terminal.out(line);
  terminal.out(`Delivery: ${explainDelivery(deliver)}`);
  terminal.out(base === null ? 'works in the checkout itself' : `starts from commit ${base}`);
  terminal.out(agentLine(agents));
  terminal.out('Nothing was created (--dry-run).');
}

function agentLine(agents: string[] | null): string {
  if (agents === null) return 'agents: the hosts of the server have them, and are not asked here';
  return agents.length === 0 ? 'needs no installed agent' : `installed: ${agents.join(', ')}`;
}

/** As the start would resolve them. Throws `InvalidDefinition` with every issue. */
function inputsOf(plan: Plan, { definition, body }: DryRun): Record<string, string> {
  const resolved = resolveInputs(plan, body.inputs ?? {});
  if (resolved.kind === 'inputs') return resolved.inputs;
  throw new InvalidDefinition(definition.file, resolved.issues, 'give what the lines above name with --input');
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
  const { overrides, dialect } = request.body;
  return compileHere(request.definition, present({ overrides, dialect }));
}

import { z } from 'zod';

import { DefinitionName, PutDefinition } from '#core/contract/library.ts';
import { StartRun } from '#core/contract/http.ts';
import { present } from '#core/definition/present.ts';
import { resolveInputs } from '#core/plan/inputs.ts';

import { compiledPlan, startRequest } from '#mcp/definition-told.ts';
import { listedRun, planTold } from '#mcp/run-told.ts';
import { actingTool, confirmedTool, type Tool } from '#mcp/tool.ts';
import { ToolProblem } from '#mcp/tool-problem.ts';
import { DefinitionFields, ProjectField } from '#mcp/tools/fields.ts';

const startRun = confirmedTool({
  name: 'start_run',
  title: 'Start a run',
  description:
    'Starts a run: coding agents work and spend until its checks pass or a limit is reached. Follow it by read_run with `waitSeconds`.',
  input: z.strictObject({
    ...DefinitionFields,
    inputs: StartRun.shape.inputs.describe('Inputs that the definition declares'),
    labels: StartRun.shape.labels,
    priority: StartRun.shape.priority.describe('1 is the most urgent, 5 the least'),
  }),
  effect: { destructiveHint: false, idempotentHint: true },
  goesOn: true,
  preview: async (session, input) => {
    const newest = input.name === undefined ? undefined : await versionOf(session, input);
    const request = startRequest(session, { ...input, version: newest });
    const { plan, found } = await compiledPlan(session, request);
    const resolved = resolveInputs(plan, input.inputs ?? {});
    if (resolved.kind === 'issues') {
      const [first] = resolved.issues;
      throw new ToolProblem('definition/invalid', resolved.issues.map(({ message }) => message).join('; '), {
        remedy: `Correct ${first?.path ?? 'the inputs'}; nothing was started.`,
      });
    }
    const wouldHappen = { starts: planTold(plan), inputs: resolved.inputs, ...found };
    return { wouldHappen, seen: present({ version: newest }) };
  },
  act: async (session, input, { id, seen }) => {
    const body = startRequest(session, { ...input, ...present({ version: seen['version'] }) });
    const { warnings, ...run } = await session.client.startRun({ body, header: { 'idempotency-key': id } });
    return { run: listedRun(run), warnings };
  },
});

/** Named in the confirmation: what is stored meanwhile is not what was agreed to. */
async function versionOf(
  { client, project: ownProject }: Parameters<typeof startRequest>[0],
  {
    name = '',
    version,
    project = ownProject,
  }: { name?: string | undefined; version?: number | undefined; project?: string | undefined },
): Promise<number> {
  if (version !== undefined) return version;
  return (await client.showDefinition(name, { query: present({ project }) })).version;
}

const storeDefinition = actingTool({
  name: 'store_definition',
  title: 'Store a definition',
  description:
    'Keeps a definition on the server under a name, as a new version; nothing is started. One that cannot be run is refused with every issue.',
  input: z.strictObject({ name: DefinitionName, ...PutDefinition.omit({ project: true }).shape, ...ProjectField }),
  effect: { destructiveHint: false, idempotentHint: true },
  act: async ({ client, project: ownProject }, { name, project = ownProject, ...text }) => {
    const body = { ...present(text), ...present({ project }) };
    const { source: _source, ...stored } = await client.putDefinition(name, { body });
    return stored;
  },
});

/** Creating and starting (E-24). */
export const startTools: readonly Tool[] = [startRun, storeDefinition];

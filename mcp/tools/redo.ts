import { z } from 'zod';

import { ForkRun, RetryRun } from '#core/contract/steer.ts';
import { present } from '#core/definition/present.ts';
import { forkPoint, type PassPlace } from '#core/run/fork.ts';
import { planNow } from '#core/run/plan-now.ts';

import { compiledPlan } from '#mcp/definition-told.ts';
import { goingOn, runAfter } from '#mcp/going-on.ts';
import { foldedRun, listedRun, planTold } from '#mcp/run-told.ts';
import { confirmedTool, type Tool } from '#mcp/tool.ts';
import { ToolProblem } from '#mcp/tool-problem.ts';
import { RunField } from '#mcp/tools/fields.ts';

const retryRun = confirmedTool({
  name: 'retry_run',
  title: 'Retry a run',
  description:
    'Does what failed again, in a run that ended or is paused; what is finished is kept. `from` does a step and all after it again, `only` that one step.',
  input: z.strictObject({ ...RunField, ...RetryRun.omit({ messageId: true }).shape }),
  effect: { destructiveHint: false, idempotentHint: true },
  goesOn: true,
  preview: async (session, { runId, ...asked }) => {
    if (asked.from !== undefined && asked.only !== undefined) throw fromOrOnly();
    const going = await goingOn(session, runId, { kind: 'retry', ...present(asked) });
    return { wouldHappen: { again: asked, ...going } };
  },
  act: async ({ client }, { runId, ...body }, { id }) =>
    runAfter(await client.retryRun(runId, { body: { ...body, messageId: id } })),
});

const editRun = confirmedTool({
  name: 'edit_run',
  title: 'Edit a run',
  description:
    'Gives a run another definition, whole: it counts from the next pass of each step. Limits of it may be higher, so it may spend more.',
  input: z.strictObject({
    ...RunField,
    source: z.string().describe('The whole new text: begin with what read_run_definition gives'),
    dialect: z.string().optional(),
  }),
  effect: { destructiveHint: true, idempotentHint: true },
  goesOn: true,
  preview: async (session, { runId, source, dialect }) => {
    const { run, plan: before } = await foldedRun(session.client, runId);
    const request = { source, project: run.project, ...present({ dialect }) };
    const { plan, found } = await compiledPlan(session, { ...request, overrides: { repo: before.workspace.repo } });
    const going = await goingOn(session, runId, { kind: 'edit', plan });
    return { wouldHappen: { becomes: planTold(plan), ...found, ...going } };
  },
  act: async ({ client }, { runId, ...body }, { id }) =>
    runAfter(await client.editRun(runId, { body: { ...body, messageId: id } })),
});

const forkRun = confirmedTool({
  name: 'fork_run',
  title: 'Fork a run',
  description: 'Starts a new run that goes on after a pass of this one, from its snapshot; this one is not touched.',
  input: z.strictObject({ ...RunField, ...ForkRun.omit({ messageId: true }).shape }),
  effect: { destructiveHint: false, idempotentHint: true },
  goesOn: true,
  preview: async ({ client }, { runId, ...at }) => {
    const { run, stored } = await foldedRun(client, runId);
    const point = forkPoint(run.plan, stored, at);
    if (point.kind === 'none') throw noSuchPass(runId, at, point.passes);
    return { wouldHappen: { forks: { runId, ...at }, starts: planTold(planNow(run.plan, point.state)) } };
  },
  act: async ({ client }, { runId, ...body }, { id }) => ({
    run: listedRun(await client.forkRun(runId, { body: { ...body, messageId: id } })),
  }),
});

function fromOrOnly(): ToolProblem {
  return new ToolProblem('http/bad-request', '`from` does a step and all after it again, `only` that one step.', {
    remedy: 'Give one of them.',
  });
}

const mostNamed = 10;

function noSuchPass(runId: string, { step, pass }: PassPlace, passes: readonly PassPlace[]): ToolProblem {
  const there = passes.slice(-mostNamed).map((place) => `${place.step}:${place.pass}`);
  return new ToolProblem('fork/no-such-pass', `${runId} has no finished pass ${pass} of a step "${step}".`, {
    remedy: there.length === 0 ? 'Wait until a pass of it has finished.' : `There are ${there.join(', ')}.`,
  });
}

/** Doing something again or otherwise (E-24). */
export const redoTools: readonly Tool[] = [retryRun, editRun, forkRun];

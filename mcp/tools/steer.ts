import { z } from 'zod';

import type { RunMessage, RunMessageOf } from '#core/contract/seat.ts';
import { ForkRun, PushBackRun, RaiseRun, RetryRun } from '#core/contract/steer.ts';
import { present } from '#core/definition/present.ts';
import type { Plan } from '#core/plan/plan.ts';
import { raisedPlan } from '#core/plan/raise.ts';
import { may } from '#core/run/may.ts';

import type { RunShown } from '#client/schema.ts';

import { compiledPlan } from '#mcp/definition-told.ts';
import { raisedLimits } from '#mcp/raised.ts';
import { refusalProblem } from '#mcp/refusal.ts';
import { foldedRun, listedRun, planTold, spendBound } from '#mcp/run-told.ts';
import type { Session } from '#mcp/session.ts';
import { actingTool, confirmedTool, type Tool } from '#mcp/tool.ts';
import { ReasonField, RunField } from '#mcp/tools/fields.ts';

const after = (run: RunShown): object => ({ run: listedRun(run) });

const pauseRun = actingTool({
  name: 'pause_run',
  title: 'Pause a run',
  description: 'What is under way ends and is judged; nothing new begins until the run is resumed.',
  input: z.strictObject({ ...RunField, ...ReasonField }),
  effect: { destructiveHint: false, idempotentHint: true },
  act: async ({ client }, { runId, ...body }) => after(await client.pauseRun(runId, { body })),
});

const cancelRun = actingTool({
  name: 'cancel_run',
  title: 'Cancel a run',
  description: 'Ends a run: what is under way is stopped, and nothing is delivered. Its workspace and its record stay.',
  input: z.strictObject({ ...RunField, ...ReasonField }),
  effect: { destructiveHint: true, idempotentHint: true },
  act: async ({ client }, { runId, ...body }) => after(await client.cancelRun(runId, { body })),
});

const resumeRun = confirmedTool({
  name: 'resume_run',
  title: 'Resume a run',
  description: 'Lets a paused run go on, and so spend; refused while what paused it holds.',
  input: z.strictObject({ ...RunField, ...ReasonField }),
  effect: { destructiveHint: false, idempotentHint: true },
  goesOn: true,
  preview: async (session, { runId }) => ({ wouldHappen: await goingOn(session, runId, { kind: 'resume' }) }),
  act: async ({ client }, { runId, ...body }, { id }) =>
    after(await client.resumeRun(runId, { body: { ...body, messageId: id } })),
});

const { passes, time, deadline, spend, step } = RaiseRun.shape;

const raiseRun = confirmedTool({
  name: 'raise_run',
  title: 'Raise limits of a run',
  description: 'Raises limits of a run; one that is paused for such a limit goes on. A limit can only grow.',
  input: z.strictObject({
    ...RunField,
    passes: passes.describe('How often the work of a loop may be done in all'),
    step: step.describe('Whose loop `passes` means, if not every one'),
    time: time.describe('Active time, such as 2h'),
    deadline: deadline.describe('Everything, waits included, such as 3d'),
    spend: spend.describe('Such as 10 USD'),
  }),
  effect: { destructiveHint: false, idempotentHint: true },
  goesOn: true,
  preview: async (session, { runId, ...asked }) => {
    const limits = raisedLimits(asked);
    return { wouldHappen: { raises: limits, ...(await goingOn(session, runId, { kind: 'raise', limits })) } };
  },
  act: async ({ client }, { runId, ...body }, { id }) =>
    after(await client.raiseRun(runId, { body: { ...body, messageId: id } })),
});

const retryRun = confirmedTool({
  name: 'retry_run',
  title: 'Retry a run',
  description:
    'Does what failed again, in a run that ended or is paused; what is finished is kept. `from` does a step and all after it again, `only` that one step.',
  input: z.strictObject({ ...RunField, ...RetryRun.omit({ messageId: true }).shape }),
  effect: { destructiveHint: false, idempotentHint: true },
  goesOn: true,
  preview: async (session, { runId, ...asked }) => ({
    wouldHappen: { again: asked, ...(await goingOn(session, runId, { kind: 'retry', ...present(asked) })) },
  }),
  act: async ({ client }, { runId, ...body }, { id }) =>
    after(await client.retryRun(runId, { body: { ...body, messageId: id } })),
});

const pushBackRun = confirmedTool({
  name: 'push_back_run',
  title: 'Send a step back',
  description: 'Sends a finished step of a running run back with a remark: it and all after it are done again.',
  input: z.strictObject({ ...RunField, ...PushBackRun.omit({ messageId: true }).shape }),
  effect: { destructiveHint: true, idempotentHint: true },
  goesOn: true,
  preview: async (session, { runId, ...asked }) => {
    const remark = { by: await session.who(), comment: '', text: { sha256: '', bytes: 0, excerpt: '' } };
    const going = await goingOn(session, runId, { kind: 'pushBack', step: asked.step, remark });
    return { wouldHappen: { sendsBack: asked, ...going } };
  },
  act: async ({ client }, { runId, ...body }, { id }) =>
    after(await client.pushBackRun(runId, { body: { ...body, messageId: id } })),
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
    after(await client.editRun(runId, { body: { ...body, messageId: id } })),
});

const forkRun = confirmedTool({
  name: 'fork_run',
  title: 'Fork a run',
  description: 'Starts a new run that goes on after a pass of this one, from its snapshot; this one is not touched.',
  input: z.strictObject({ ...RunField, ...ForkRun.omit({ messageId: true }).shape }),
  effect: { destructiveHint: false, idempotentHint: true },
  goesOn: true,
  preview: async ({ client }, { runId, ...at }) => {
    const { plan } = await foldedRun(client, runId);
    return { wouldHappen: { forks: { runId, ...at }, starts: planTold(plan) } };
  },
  act: async ({ client }, { runId, ...body }, { id }) => ({
    run: listedRun(await client.forkRun(runId, { body: { ...body, messageId: id } })),
  }),
});

type GoingOn = Unsent<'resume'> | Unsent<'raise'> | Unsent<'retry'> | Unsent<'pushBack'> | Unsent<'edit'>;
type Unsent<K extends RunMessage['kind']> = Omit<RunMessageOf<K>, 'id' | 'by'>;

/**
 * The run that would go on, and what bounds it then; or the refusal that the law would give by now (E3), before anything
 * is asked.
 */
async function goingOn(session: Session, runId: string, message: GoingOn): Promise<object> {
  const { run, state, plan } = await foldedRun(session.client, runId);
  const answer = may(run.plan, state, { ...message, id: 'preview', by: await session.who() });
  if (answer.kind === 'refused') throw refusalProblem(answer, runId);
  return { run: listedRun(run), ...bounds(planAfter(plan, message)) };
}

function planAfter(plan: Plan, message: GoingOn): Plan {
  if (message.kind === 'edit') return message.plan;
  return message.kind === 'raise' ? raisedPlan(plan, message.limits) : plan;
}

function bounds({ limits, steps }: Plan): object {
  const loops = steps.flatMap(({ id, loop }) => (loop === undefined ? [] : [{ step: id, limit: loop.limit }]));
  return { limits, loops, spendsAtMost: spendBound(limits) };
}

/** Steering (E-24). */
export const steerTools: readonly Tool[] = [
  pauseRun,
  cancelRun,
  resumeRun,
  raiseRun,
  retryRun,
  pushBackRun,
  editRun,
  forkRun,
];

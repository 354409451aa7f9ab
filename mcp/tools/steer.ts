import { z } from 'zod';

import { PushBackRun, RaiseRun } from '#core/contract/steer.ts';

import { goingOn, runAfter } from '#mcp/going-on.ts';
import { raisedLimits } from '#mcp/raised.ts';
import { actingTool, confirmedTool, type Tool } from '#mcp/tool.ts';
import { ReasonField, RunField } from '#mcp/tools/fields.ts';

const pauseRun = actingTool({
  name: 'pause_run',
  title: 'Pause a run',
  description: 'What is under way ends and is judged; nothing new begins until the run is resumed.',
  input: z.strictObject({ ...RunField, ...ReasonField }),
  effect: { destructiveHint: false, idempotentHint: true },
  act: async ({ client }, { runId, ...body }) => runAfter(await client.pauseRun(runId, { body })),
});

const cancelRun = actingTool({
  name: 'cancel_run',
  title: 'Cancel a run',
  description: 'Ends a run: what is under way is stopped, and nothing is delivered. Its workspace and its record stay.',
  input: z.strictObject({ ...RunField, ...ReasonField }),
  effect: { destructiveHint: true, idempotentHint: true },
  act: async ({ client }, { runId, ...body }) => runAfter(await client.cancelRun(runId, { body })),
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
    runAfter(await client.resumeRun(runId, { body: { ...body, messageId: id } })),
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
    runAfter(await client.raiseRun(runId, { body: { ...body, messageId: id } })),
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
    runAfter(await client.pushBackRun(runId, { body: { ...body, messageId: id } })),
});

/** Steering (E-24). */
export const steerTools: readonly Tool[] = [pauseRun, cancelRun, resumeRun, raiseRun, pushBackRun];

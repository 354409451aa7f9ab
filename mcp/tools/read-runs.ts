import { z } from 'zod';

import { EventPage } from '#core/contract/http.ts';
import { present } from '#core/definition/present.ts';
import { feedbackDocument, routedFeedback, textsShown } from '#core/feedback/routed.ts';
import { StopKind } from '#core/run/stop.ts';
import { RunStatus } from '#core/run/summary.ts';

import { SetpointProblem } from '#client/problem.ts';
import type { SetpointClient } from '#client/setpoint-client.ts';

import { jsonAnswer, textAnswer } from '#mcp/answer.ts';
import { answerAs } from '#mcp/answer-as.ts';
import { cutHead, cutTail, fittingEvents, longestText } from '#mcp/cut.ts';
import { foldedRun, listedRun, readRun, shownRun } from '#mcp/run-told.ts';
import { readingTool, type Tool } from '#mcp/tool.ts';
import { PageFields, RunField } from '#mcp/tools/fields.ts';

/** MCP hosts give a call about a minute. */
const longestWaitSeconds = 50;

const listRuns = readingTool({
  name: 'list_runs',
  title: 'List runs',
  description:
    'Lists runs, newest first: status, why each does not move and what clears it, how it stopped, passes, spend.',
  input: z.strictObject({
    status: z
      .enum([...RunStatus.options, ...StopKind.options])
      .optional()
      .describe('A status, or how a run that has ended stopped'),
    project: z.string().optional(),
    label: z.string().optional(),
    parent: z.string().optional().describe('A run: its child runs'),
    q: z.string().optional().describe('A part of the name, or the beginning of the id'),
    ...PageFields,
  }),
  read: async ({ client }, query) => {
    const { runs, ...next } = await client.listRuns({ query });
    return jsonAnswer({ runs: runs.map(listedRun), ...next });
  },
});

const showRun = readingTool({
  name: 'read_run',
  title: 'Read a run',
  description:
    'The state of a run: status, why it does not move and the remedy, how it stopped, limits and spend, steps, open task, delivery. Only `stop.kind: succeeded` means that the work is done. `waitSeconds` waits for its end.',
  input: z.strictObject({
    ...RunField,
    waitSeconds: z.int().min(0).max(longestWaitSeconds).default(0).describe('How long to wait for the end of the run'),
  }),
  read: async ({ client }, { runId, waitSeconds }) => {
    return jsonAnswer(shownRun(await readRun(client, runId, waitSeconds)));
  },
});

const listEvents = readingTool({
  name: 'list_events',
  title: 'List events of a run',
  description:
    'The record of a run in order, as many events as fit; `after` goes on behind the last `seq` that you have.',
  input: z.strictObject({
    ...RunField,
    after: z.int().min(0).default(0),
    limit: z.int().min(1).max(500).default(100),
  }),
  read: async ({ client }, { runId, after, limit }) => {
    const page = answerAs(await client.listEvents(runId, { query: { after, limit } }), EventPage);
    return jsonAnswer(fittingEvents(page));
  },
});

const readOutput = readingTool({
  name: 'read_output',
  title: 'Read the output of an attempt',
  description: `What an attempt printed, also while it runs: the last ${longestText} characters. Without step, pass and attempt, the latest.`,
  input: z.strictObject({
    ...RunField,
    step: z.string().optional(),
    pass: z.int().min(1).optional(),
    attempt: z.int().min(1).optional(),
  }),
  read: async ({ client }, { runId, ...part }) => {
    const headers = { accept: 'text/plain' };
    const { text, ...cut } = cutTail(await client.readOutput(runId, { query: present(part), headers }));
    return textAnswer({ runId, ...part, ...cut }, text);
  },
});

const readFeedback = readingTool({
  name: 'read_feedback',
  title: 'Read the feedback of a pass',
  description:
    'What the checks and people found, as it was given to a pass: the latest that was given any, or the one that is named.',
  input: z.strictObject({ ...RunField, step: z.string().optional(), pass: z.int().min(1).optional() }),
  read: async ({ client }, { runId, step, pass }) => {
    const { run, events } = await foldedRun(client, runId);
    const all = routedFeedback(run.plan, events).filter((one) => step === undefined || one.step === step);
    const wanted = pass === undefined ? all.slice(-1) : all.filter((one) => one.pass === pass);
    const texts = await textsOf(client, textsShown(wanted));
    const { text, ...cut } = cutHead(feedbackDocument(wanted, { texts, timeText }));
    const given = all.map((one) => ({ step: one.step, pass: one.pass }));
    return textAnswer(
      { runId, given: given.slice(-50), shown: wanted.map(({ at: _at, entries: _entries, ...one }) => one), ...cut },
      text,
    );
  },
});

const timeText = (at: number): string => new Date(at).toISOString();

/** By their digest. One that is gone is left out, and its excerpt stands in for it. */
async function textsOf(client: SetpointClient, digests: readonly string[]): Promise<Map<string, string>> {
  const found = digests.map(async (sha256): Promise<[string, string][]> => {
    try {
      return [[sha256, await client.readArtifact(sha256)]];
    } catch (error) {
      if (error instanceof SetpointProblem && error.status === 404) return [];
      throw error;
    }
  });
  return new Map((await Promise.all(found)).flat());
}

const readDiff = readingTool({
  name: 'read_diff',
  title: 'Read the changes of a run',
  description: 'What the run changed since its base, as git writes it; of a pass, what was there after it.',
  input: z.strictObject({
    ...RunField,
    pass: z.int().min(1).optional(),
    from: z.int().min(0).default(0).describe('Character to begin at, to read on behind a cut'),
  }),
  read: async ({ client }, { runId, pass, from }) => {
    const { text, ...cut } = cutHead(await client.readDiff(runId, { query: present({ pass }) }), from);
    return textAnswer({ runId, ...present({ pass }), ...cut }, text);
  },
});

const readArtifact = readingTool({
  name: 'read_artifact',
  title: 'Read a text that is kept',
  description: 'The text of an artifact by its SHA-256, as tasks, runs and events name it.',
  input: z.strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
    from: z.int().min(0).default(0).describe('Character to begin at, to read on behind a cut'),
  }),
  read: async ({ client }, { sha256, from }) => {
    const { text, ...cut } = cutHead(await client.readArtifact(sha256), from);
    return textAnswer({ sha256, ...cut }, text);
  },
});

const readRunDefinition = readingTool({
  name: 'read_run_definition',
  title: 'Read the definition of a run',
  description: 'The text that the plan of a run comes from, with the edits that were made: what an edit begins with.',
  input: z.strictObject(RunField),
  read: async ({ client }, { runId }) => {
    const { source, ...about } = await client.showRunDefinition(runId);
    const { text, ...cut } = cutHead(source);
    return textAnswer({ runId, ...about, ...cut }, text);
  },
});

/** Looking at runs (E-24). */
export const runReadingTools: readonly Tool[] = [
  listRuns,
  showRun,
  listEvents,
  readOutput,
  readFeedback,
  readDiff,
  readArtifact,
  readRunDefinition,
];

import type { Decide, TaskDecided, TaskList, TaskShown } from '#core/contract/tasks.ts';
import type { TaskRecord } from '#core/task/task-record.ts';
import { bodyDigest } from '#api/routes/request-body.ts';
import { listedTask, showTask } from '#api/routes/show-task.ts';

/** The examples of tasks in the OpenAPI document: one question, asked, and decided by a push back. */
const runId = 'run_01m8pfxa35hg896fgmxw6gmw3y';
const taskId = 'task_01m8pfxa35hg896fgmxw6gmw3y.ready';
const openedAt = Date.parse('2026-11-30T15:12:00.000Z');
const decidedAt = openedAt + 600_000;
const artifact = (character: string, excerpt: string) => {
  return { sha256: character.repeat(64), bytes: excerpt.length, excerpt };
};

const asked: TaskRecord = {
  pass: 1,
  question: {
    ask: { text: 'Ship it?' },
    shown: [{ name: 'output of plan', content: artifact('a', 'Sort a copy in median().\n') }],
    form: {
      type: 'object',
      properties: { risk: { type: 'string', enum: ['low', 'high'] } },
      required: ['risk'],
      additionalProperties: false,
    },
    pushBackForm: { type: 'object', properties: { section: { type: 'string' } }, required: ['section'] },
    who: ['team:web'],
    quorum: 1,
    notAuthor: true,
    commit: '7d'.repeat(20),
    tree: 'e3'.repeat(20),
    backTo: ['implement', 'plan'],
  },
  decisions: {},
  reminders: 0,
};

export const decide: Decide = {
  decision: 'push_back',
  message: 'Name the flag.',
  to: 'implement',
  form: { section: 'Options' },
  decisionId: 'decision-1',
  revision: 1,
};

const { message = '', to, form, decision: kind } = decide;
const decided: TaskRecord = {
  ...asked,
  decisions: {
    12: {
      at: decidedAt,
      final: true,
      decision: {
        kind: 'push_back',
        by: 'ada',
        comment: message,
        text: artifact('b', message),
        to: 'implement',
        ...(form === undefined ? {} : { form }),
        digest: bodyDigest({ kind, message, to, form }),
      },
    },
  },
};

const ada = { name: 'ada', teams: ['web'], admin: false };
const row = {
  taskId,
  runId,
  runName: 'Green tests',
  runStatus: 'waiting' as const,
  createdBy: 'bob',
  project: 'default',
  step: 'ready',
  revision: 1,
  state: 'open' as const,
  record: asked,
  openedAt: new Date(openedAt).toISOString(),
  updatedAt: new Date(openedAt).toISOString(),
};
const rowDecided = { ...row, state: 'decided' as const, record: decided, updatedAt: new Date(decidedAt).toISOString() };

export const taskList: TaskList = { tasks: [listedTask(row)], cursor: taskId };
export const taskShown: TaskShown = showTask(row, ada);
export const taskDecided: TaskDecided = {
  decisionId: 'decision-1',
  task: showTask(rowDecided, ada),
  run: {
    runId,
    name: 'Green tests',
    project: 'default',
    labels: [],
    createdBy: 'bob',
    createdAt: '2026-11-30T15:06:56.000Z',
    updatedAt: rowDecided.updatedAt,
    summary: { status: 'running', passes: 2, spendUsd: 0.21, seq: 13 },
  },
};

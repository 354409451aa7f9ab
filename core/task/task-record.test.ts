import { expect, test } from 'vitest';

import type { RunEvent } from '#core/run/event.ts';
import { decisionsOf, taskChanges, TaskRecord, whoNow } from '#core/task/task-record.ts';

const task = 'task_1.agree';
const on = (revision: number, at: number) => ({ at, step: 'agree', pass: revision, task, revision });
const question = {
  ask: { text: 'Fine?' },
  shown: [],
  who: ['ada'],
  quorum: 2,
  notAuthor: false,
  backTo: ['work'],
};
const approval = (by: string) => ({
  kind: 'approve' as const,
  by,
  comment: '',
  text: { sha256: 'x', bytes: 0, excerpt: '' },
  digest: 'd',
});
const opened = (revision: number, at: number): RunEvent => ({ type: 'task.opened', ...on(revision, at), ...question });
const decided = (by: string, at: number, final: boolean): RunEvent => {
  return { type: 'task.decided', ...on(1, at), messageId: by, decision: approval(by), final };
};
const changes = (events: RunEvent[], from = 1) =>
  taskChanges(events.map((event, index) => ({ seq: from + index, event })));

test('D1, D2: what happens to a task in one batch is one change, the whole of it where it opened there', () => {
  const [change, ...more] = changes([
    { type: 'task.opening', ...on(1, 1) },
    opened(1, 2),
    { type: 'task.reminded', ...on(1, 3), count: 1 },
    { type: 'task.escalated', ...on(1, 4), to: ['bob', 'ada'] },
    decided('ada', 5, false),
    decided('bob', 6, true),
  ]);
  expect(more).toEqual([]);
  expect(change).toMatchObject({ task, step: 'agree', revision: 1, status: 'decided', openedAt: 2, at: 6 });
  const record = TaskRecord.parse(change?.record);
  expect(whoNow(record)).toEqual(['ada', 'bob']);
  expect(decisionsOf(record).map(({ at, decision, final }) => [at, decision.by, final])).toEqual([
    [5, 'ada', false],
    [6, 'bob', true],
  ]);
});

test('a later batch tells only what it adds; decisions keep the number of their event', () => {
  expect(changes([decided('ada', 5, false)], 12)).toEqual([
    {
      task,
      step: 'agree',
      revision: 1,
      status: 'open',
      at: 5,
      record: { decisions: { 12: { at: 5, decision: approval('ada'), final: false } } },
    },
  ]);
});

test('D5: expiry closes with its reason, and so does the end of the pass', () => {
  expect(changes([{ type: 'task.expired', ...on(1, 5) }])).toMatchObject([{ status: 'closed' }]);
  const closed = changes([{ type: 'task.closed', ...on(1, 5), reason: 'The run ended.' }]);
  expect(closed).toMatchObject([{ status: 'closed', record: { closed: 'The run ended.' } }]);
});

test('D3: of a task that was opened again in the batch the newest revision counts, and an older one says nothing', () => {
  const [change] = changes([opened(1, 1), decided('ada', 2, false), opened(2, 3), decided('bob', 4, true)]);
  expect(change).toMatchObject({ revision: 2, status: 'open', openedAt: 3, record: { decisions: {} } });
});

test('who may decide is everyone as long as nobody is named, whoever is asked, too', () => {
  const [change] = changes([
    { type: 'task.opened', ...on(1, 1), ...question, who: [] },
    { type: 'task.escalated', ...on(1, 2), to: ['bob'] },
  ]);
  expect(whoNow(TaskRecord.parse(change?.record))).toEqual([]);
});

test('events of no task change none', () => {
  expect(changes([{ type: 'run.started', at: 1, runId: 'run_1' }])).toEqual([]);
});

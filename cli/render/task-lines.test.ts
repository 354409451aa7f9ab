import { expect, test } from 'vitest';

import type { RunEvent } from '#core/run/event.ts';

import { eventLines } from '#cli/render/event-lines.ts';
import { advance, newProgress, type Progress } from '#cli/render/progress.ts';
import { shownLines } from '#cli/render/run-view.ts';
import { decisionLines, taskLines } from '#cli/render/task-lines.ts';
import { listed } from '#cli/testing/sample-run.ts';
import { asked, decided, personPlan } from '#cli/testing/sample-task.ts';

const task = 'task_01hsample.ready';
const texts = (lines: readonly { text: string }[]): string[] => lines.map(({ text }) => text);

const question = [
  '? Ship it?',
  '  All of it.',
  '  for team:web; 2 people must approve; not whoever started the run; until 2030-03-17T18:46:40.000Z',
  `  beside it: plan (setpoint tasks show ${task})`,
  `  approve   setpoint approve ${task} --set risk="<string>" [--set note="<value>"]`,
  `  reject    setpoint reject ${task}`,
  `  push back setpoint push-back ${task} --message "what is to change"`,
];

function after(events: readonly RunEvent[]): Progress {
  const progress = newProgress(personPlan);
  for (const event of [...asked.map((stored) => stored.event), ...events]) advance(progress, event);
  return progress;
}

test('D1: a question tells what is asked, of whom and until when, and the commands that decide', () => {
  const opened = asked.at(-1)?.event;
  expect(opened === undefined ? [] : texts(eventLines(opened))).toEqual(question);
});

test('D1: a question without form, limits and a way back is short', () => {
  const bare = { ask: { text: 'Go?' }, shown: [], who: [], quorum: 1, notAuthor: false, backTo: [] };
  expect(texts(taskLines(task, bare))).toEqual(['? Go?', ...texts(decisionLines(task, { back: false }))]);
});

test('D2: a decision tells who decided what, and whether others are still to answer', () => {
  const one = decided('approve', { comment: 'looks good', final: false });
  expect(texts(eventLines(one))).toEqual(['anna approved: looks good (others are still to answer)']);
  expect(texts(eventLines(decided('push_back', { by: 'ben' })))).toEqual(['ben pushed back']);
  const filled = decided('push_back', { comment: '', form: { feedback: 'Name the flag.', risk: 2 } });
  expect(texts(eventLines(filled))).toEqual(['anna pushed back: feedback: Name the flag.; risk: 2']);
});

test('a long remark of several lines is told in one short line', () => {
  const [line = ''] = texts(eventLines(decided('push_back', { comment: `first\nsecond ${'ü'.repeat(10_000)}` })));
  expect(line).toMatch(/^anna pushed back: first second ü+…$/);
  expect(line.length).toBeLessThan(240);
});

test('an open question stands in the live view until it is decided, expires or is closed', () => {
  expect([...after([]).tasks.values()]).toEqual([
    { task, step: 'ready', ask: 'Ship it?\nAll of it.', since: 1_900_000_060_000 },
  ]);
  const on = { at: 1, step: 'ready', pass: 1, task, revision: 1 } as const;
  expect(after([decided('approve', { final: false })]).tasks.size).toBe(1);
  expect(after([decided('approve')]).tasks.size).toBe(0);
  expect(after([{ type: 'task.expired', ...on }]).tasks.size).toBe(0);
  expect(after([{ type: 'task.closed', ...on, reason: 'r' }]).tasks.size).toBe(0);
  expect(after([{ type: 'run.stopped', at: 1, stop: { kind: 'cancelled', reason: 'r' } }]).tasks.size).toBe(0);
});

test('E3: what ends while a run is paused does not end the pause in the live view', () => {
  const paused: RunEvent = { type: 'run.paused', at: 1, code: 'person', reason: 'r', remedy: 'm', messageId: 'p' };
  const ends: RunEvent = { type: 'step.succeeded', at: 2, step: 'work', pass: 2 };
  expect(after([paused, ends]).paused).toBe(true);
  expect(after([paused, ends, { type: 'run.resumed', at: 3, messageId: 'r' }]).paused).toBe(false);
});

test('E2: show of a run that asks gives the question once, and tells who decided and steered what', () => {
  const summary = { status: 'waiting', why: 'It waits for a person: Ship it?', task, passes: 2, spendUsd: 0, seq: 18 };
  const first = { seq: 18, event: decided('approve', { final: false }) };
  const view = { listed: listed({ ...summary, status: 'waiting' }), plan: personPlan, events: [...asked, first] };
  const shown = texts(shownLines(view, 0));
  expect(shown.slice(shown.indexOf('people'), shown.indexOf('limits'))).toEqual([
    'people',
    '  2030-03-17T17:47:40.000Z  ready: anna approved (others are still to answer)',
    'loops',
    '  ↺ ready → work: looped 0 of 2',
    '    ↺ work: looped 1 of 4',
  ]);
  expect(shown.slice(-8)).toEqual(['  why       It waits for a person: Ship it?', ...question]);
  expect(shown.filter((line) => line.includes('setpoint approve'))).toHaveLength(1);
});

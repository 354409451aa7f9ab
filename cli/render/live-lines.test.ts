import { expect, test } from 'vitest';

import type { StoredEvent } from '#core/run/event.ts';

import { liveLines } from '#cli/render/live-lines.ts';
import { advance, newProgress, type Progress } from '#cli/render/progress.ts';
import { painter } from '#cli/terminal.ts';
import { samplePlan, twoPasses } from '#cli/testing/sample-run.ts';

function after(events: readonly StoredEvent[]): Progress {
  const progress = newProgress(samplePlan);
  for (const { event } of events) advance(progress, event);
  return progress;
}

const start = twoPasses[0]?.event.at ?? 0;

function linesAfter(type: string, pass = 1): string[] {
  const index = twoPasses.findIndex(({ event }) => event.type === type && (!('pass' in event) || event.pass === pass));
  return liveLines(after(twoPasses.slice(0, index + 1)), start + 3_000, painter(false));
}

test('a running step is one line with its pass, what it does and since when', () => {
  expect(linesAfter('attempt.started')).toEqual(['⠋ work pass 1 works 3.0 s', '▰▱▱▱▱ pass 1 of 5']);
  expect(linesAfter('checks.started')).toEqual(['⠋ work pass 1 checks 3.0 s', '▰▱▱▱▱ pass 1 of 5']);
});

test('the bar of passes moves when the loop fires (C1, C2)', () => {
  expect(linesAfter('attempt.started', 2)).toEqual(['⠋ work pass 2 works 3.0 s', '▰▰▱▱▱ pass 2 of 5']);
});

test('nothing runs any more after the stop', () => {
  expect(after(twoPasses).running.size).toBe(0);
  expect(after(twoPasses).stopped).toBe(true);
});

test('a retry of the run begins the bar anew (E8)', () => {
  const progress = after(twoPasses);
  advance(progress, { type: 'run.retried', at: 1, messageId: 'm' });
  expect(liveLines(progress, start, painter(false))).toEqual(['▰▱▱▱▱ pass 1 of 5']);
});

test('a loop without a limit has no bar, and several loops carry their names', () => {
  const progress = after([]);
  progress.loops.set('ready', { count: 3, limit: null });
  expect(liveLines(progress, start, painter(false))).toEqual([
    'work ▰▱▱▱▱ pass 1 of 5',
    'ready pass 4, no limit of passes',
  ]);
});

test('an open task is a line that stays, with what is asked in short and for how long', () => {
  const progress = after([]);
  progress.tasks.set('task_1', { task: 'task_1', step: 'ready', ask: `Ship it?\nAll of it.`, since: start });
  progress.tasks.set('task_2', { task: 'task_2', step: 'agree', ask: 'x'.repeat(80), since: start });
  expect(liveLines(progress, start + 65_000, painter(false))).toEqual([
    '? ready waits 1 min 5 s for a person: Ship it? (task_1)',
    `? agree waits 1 min 5 s for a person: ${'x'.repeat(59)}… (task_2)`,
    '▰▱▱▱▱ pass 1 of 5',
  ]);
});

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { policy } from '#core/contract/policy.ts';
import { openJournal } from '#workers/host/journal.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'setpoint-journal-'));
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const token = new Uint8Array([1, 2, 250]);

test('decision 15: a successor finds what was under way, and what had ended without the engine knowing it', () => {
  const journal = openJournal(folder);
  journal.enter({ token, containmentId: 'run/work#1.1' });
  const leave = journal.enter({ token, containmentId: 'run/check#1.judge1' });
  leave();
  const left = openJournal(folder).left();
  expect(left.toSorted((one, two) => Number(two.running) - Number(one.running))).toEqual([
    { token: Buffer.from(token), containmentId: 'run/work#1.1', running: true },
    { token: Buffer.from(token), containmentId: 'run/check#1.judge1', running: false },
  ]);
});

test('a task that has ended is forgotten once its heartbeat has run out', () => {
  vi.useFakeTimers();
  const leave = openJournal(folder).enter({ token, containmentId: 'run/work#1.1' });
  leave();
  vi.advanceTimersByTime(policy.attempt.heartbeat * 1000);
  expect(readdirSync(folder)).toEqual([]);
});

test('what a successor has dealt with is gone, and what it began itself stays', () => {
  openJournal(folder).enter({ token, containmentId: 'old' });
  const successor = openJournal(folder);
  successor.enter({ token, containmentId: 'new' });
  successor.forget();
  expect(
    openJournal(folder)
      .left()
      .map(({ containmentId }) => containmentId),
  ).toEqual(['new']);
});

test('an entry that a power failure cut short keeps no host from starting', () => {
  writeFileSync(join(folder, 'cut.json'), '');
  writeFileSync(join(folder, 'half.new'), '{"token":');
  expect(openJournal(folder).left()).toEqual([]);
});

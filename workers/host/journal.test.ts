import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { policy } from '#core/contract/policy.ts';
import { asTask } from '#activities/task.ts';
import { createTenure } from '#activities/tenure.ts';
import { createOccupancy } from '#activities/occupancy.ts';
import { openJournal } from '#workers/host/journal.ts';
import { asEngineTask } from '../../test/fakes/engine-task.ts';

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

/** Of one page, as another user than root by sudo, which must not ask; returns what unmounts it. */
function mountTinyDisk(path: string): () => void {
  mkdirSync(path);
  const root = (...argv: string[]) => {
    const [program = '', ...args] = process.getuid?.() === 0 ? argv : ['sudo', '-n', ...argv];
    execFileSync(program, args, { stdio: 'pipe' });
  };
  root('mount', '-t', 'tmpfs', '-o', 'size=4k,mode=777', 'setpoint-test', path);
  return () => root('umount', path);
}

test('a full disk is a fault that waits for space, as the engine knows it, and no half an entry is left', async () => {
  const disk = join(folder, 'disk');
  const unmount = mountTinyDisk(disk);
  try {
    const journal = openJournal(disk);
    const before = readdirSync(disk);
    const leave = journal.enter({ token, containmentId: 'run/work#1.1' });
    expect(() => journal.enter({ token, containmentId: 'run/work#1.2' })).toThrow(
      expect.objectContaining({ code: 'store/disk-full' }),
    );
    const deps = { journal, tenure: createTenure(), occupancy: createOccupancy() };
    const task = asEngineTask(1, () => asTask(deps, 'run/work#1.3', never));
    await expect(task).rejects.toMatchObject({ type: 'store/disk-full', nonRetryable: false });
    expect(readdirSync(disk).length).toBe(before.length + 1);
    leave();
  } finally {
    unmount();
  }
});

function never(): Promise<never> {
  throw new TypeError('a task that could not be written down was begun');
}

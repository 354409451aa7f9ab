import { expect, test } from 'vitest';

import { type FollowOptions, openInterruption } from '#cli/follow/interruption.ts';

const options = { json: false, quiet: false, wait: true } as const;

/** An interruption whose request to cancel settles as `cancel` does. */
function opened(onInterrupt: FollowOptions['onInterrupt'], cancel: () => Promise<void>) {
  const notes: string[] = [];
  const leave = new AbortController();
  const following = {
    leave,
    options: { ...options, onInterrupt },
    note: (line: { text: string }) => notes.push(line.text),
  };
  return { ...openInterruption({ cancel }, 'run_1', following), notes, leave };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('T-23: Ctrl-C leaves the run going and says how to come back', () => {
  const { press, farewell, leave } = opened('detach', () => Promise.reject(new TypeError('never asked')));
  press();
  expect(leave.signal.aborted).toBe(true);
  expect(farewell()).toMatch(/^Detached: run_1 goes on without this command\.\n.*setpoint watch run_1\n/);
});

test('T-23: in the foreground the first one cancels, the second one leaves a run that is being cancelled', async () => {
  let asked = 0;
  const { press, farewell, notes, leave } = opened('cancel', async () => {
    asked += 1;
  });
  press();
  expect([leave.signal.aborted, notes]).toEqual([
    false,
    ['Cancelling run_1 and waiting until nothing of it runs; Ctrl-C again detaches'],
  ]);
  await settled();
  press();
  expect([leave.signal.aborted, asked]).toEqual([true, 1]);
  expect(farewell()).toBe(
    'Detached: run_1 is being cancelled, and ends what it runs without this command.\n  see it end       setpoint watch run_1',
  );
});

test('T-23: a cancel that nobody has answered yet is told as such', () => {
  const { press, farewell } = opened('cancel', () => new Promise(() => undefined));
  press();
  press();
  expect(farewell()).toMatch(/^Detached: nobody has answered yet that run_1 is cancelled; it may go on\.\n/);
  expect(farewell()).toContain('setpoint cancel run_1');
});

test('T-23: a cancel that failed says why, and the next one leaves the run going', async () => {
  const { press, farewell, notes } = opened('cancel', () => Promise.reject(new TypeError('no server answers')));
  press();
  await settled();
  expect(notes.at(-1)).toBe('run_1 was not cancelled: no server answers');
  press();
  expect(farewell()).toMatch(/^Detached: run_1 goes on/);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attemptOutcome } from '#core/agent/attempt-outcome.ts';
import type { AgentErrorClass, AgentExit, AgentReport } from '#core/agent/outcome.ts';

const clean: AgentReport = { terminalEvent: 'seen', denials: [], permissionStop: false };
const exit0: AgentExit = { exitCode: 0, endedBy: 'itself' };

const errorClasses: AgentErrorClass[] = [
  'auth',
  'quota',
  'overload',
  'bad_request',
  'session_lost',
  'session_exists',
  'limit',
  'aborted',
  'crash',
];

const anyExit: fc.Arbitrary<AgentExit> = fc.oneof(
  fc.record({
    exitCode: fc.integer({ min: 0, max: 255 }),
    endedBy: fc.constantFrom<AgentExit['endedBy'][]>('itself', 'terminal_event', 'time_limit', 'stall', 'cancel'),
  }),
  fc.record({
    exitCode: fc.constant(null),
    signal: fc.constantFrom('SIGKILL', 'SIGTERM', 'SIGINT'),
    endedBy: fc.constantFrom<AgentExit['endedBy'][]>('itself', 'terminal_event', 'time_limit', 'stall', 'cancel'),
  }),
);

const anyReport: fc.Arbitrary<AgentReport> = fc
  .record({
    terminalEvent: fc.constantFrom<AgentReport['terminalEvent'][]>('seen', 'missing', 'none_expected'),
    errorClass: fc.option(fc.constantFrom(...errorClasses)),
    permissionStop: fc.boolean(),
  })
  .map(({ terminalEvent, errorClass, permissionStop }) => ({
    terminalEvent,
    ...(errorClass === null ? {} : { error: { class: errorClass, message: 'why' } }),
    denials: permissionStop ? ['Bash: npm test'] : [],
    permissionStop,
  }));

const anyMode = fc.constantFrom<('write' | 'read')[]>('write', 'read');

describe('A12: the outcome is the AND of the signals', () => {
  test('ok needs every signal: exit 0 (or our end after its end), a terminal event where there is one, no error, no stop', () => {
    fc.assert(
      fc.property(anyMode, anyExit, anyReport, (mode, exit, report) => {
        const endedWell = exit.endedBy === 'terminal_event' || (exit.endedBy === 'itself' && exit.exitCode === 0);
        const quiet = report.error === undefined && report.terminalEvent !== 'missing';
        const permitted = mode === 'read' || !report.permissionStop;
        expect(attemptOutcome(mode, exit, report).kind === 'ok').toBe(endedWell && quiet && permitted);
      }),
    );
  });

  test('what we cancelled is cancelled, whatever it reported', () => {
    fc.assert(
      fc.property(anyMode, anyExit, anyReport, (mode, exit, report) => {
        expect(attemptOutcome(mode, { ...exit, endedBy: 'cancel' }, report)).toEqual({ kind: 'cancelled' });
      }),
    );
  });

  test('exit 0 with an error flag is inconsistent, and shows both', () => {
    const report: AgentReport = { ...clean, error: { class: 'aborted', message: 'interrupted' } };
    expect(attemptOutcome('write', exit0, report)).toEqual({
      kind: 'inconsistent_exit',
      exitCode: 0,
      terminalEvent: 'seen',
      message: 'The agent exited 0 but reported an error: interrupted',
      error: { class: 'aborted', message: 'interrupted' },
    });
  });

  test('exit 0 without the terminal event is inconsistent', () => {
    expect(attemptOutcome('write', exit0, { ...clean, terminalEvent: 'missing' }).kind).toBe('inconsistent_exit');
  });

  test('a reported success with another exit code is inconsistent', () => {
    const outcome = attemptOutcome('write', { exitCode: 3, endedBy: 'itself' }, clean);
    expect(outcome).toMatchObject({ kind: 'inconsistent_exit', exitCode: 3 });
  });

  test('a text harness has no terminal event, so its exit code decides', () => {
    const report: AgentReport = { ...clean, terminalEvent: 'none_expected' };
    expect(attemptOutcome('write', exit0, report).kind).toBe('ok');
    expect(attemptOutcome('write', { exitCode: 2, endedBy: 'itself' }, report)).toMatchObject({
      kind: 'failed',
      exitCode: 2,
    });
  });

  test('a writer that stopped for want of a permission is not ok; a reader was only held (H3)', () => {
    const report: AgentReport = { ...clean, denials: ['Bash: npm test'], permissionStop: true };
    expect(attemptOutcome('write', exit0, report)).toEqual({ kind: 'permission_stop', denials: ['Bash: npm test'] });
    expect(attemptOutcome('read', exit0, report)).toEqual({ kind: 'ok' });
  });
});

describe('A3, E6: the provider is told apart from the work', () => {
  test('a provider error decides even at exit 0, with the answer to it', () => {
    const answer = (errorClass: AgentErrorClass): unknown => {
      const outcome = attemptOutcome('write', exit0, { ...clean, error: { class: errorClass, message: 'no' } });
      return outcome.kind === 'provider_error' ? outcome.answer : outcome.kind;
    };
    expect(Object.fromEntries(errorClasses.map((errorClass) => [errorClass, answer(errorClass)]))).toEqual({
      auth: 'stop',
      quota: 'wait',
      overload: 'retry',
      bad_request: 'stop',
      session_lost: 'session_lost',
      session_exists: 'session_exists',
      limit: 'inconsistent_exit',
      aborted: 'inconsistent_exit',
      crash: 'inconsistent_exit',
    });
  });

  test('the time of the reset goes with it', () => {
    const error = {
      class: 'quota',
      message: 'limit',
      resetAt: '2026-11-30T22:30:00.000Z',
      retryAfterSeconds: 60,
    } as const;
    expect(attemptOutcome('write', { exitCode: 1, endedBy: 'itself' }, { ...clean, error })).toMatchObject({
      resetAt: '2026-11-30T22:30:00.000Z',
      retryAfterSeconds: 60,
    });
  });

  test('H2: a time limit is a time-out, and names which', () => {
    const killed = { exitCode: null, signal: 'SIGKILL' } as const;
    const report: AgentReport = { ...clean, terminalEvent: 'missing' };
    expect(attemptOutcome('write', { ...killed, endedBy: 'stall' }, report)).toEqual({
      kind: 'timed_out',
      cause: 'stall',
    });
    expect(attemptOutcome('write', { ...killed, endedBy: 'time_limit' }, report)).toEqual({
      kind: 'timed_out',
      cause: 'time_limit',
    });
  });

  test('128 + n of a killing signal is a crash; a code of the CLI in that range is its own', () => {
    const report: AgentReport = { ...clean, terminalEvent: 'missing' };
    expect(attemptOutcome('write', { exitCode: 143, endedBy: 'itself' }, report)).toMatchObject({
      kind: 'crashed',
      signal: 'SIGTERM',
    });
    expect(attemptOutcome('write', { exitCode: 145, endedBy: 'itself' }, report)).toMatchObject({
      kind: 'failed',
      exitCode: 145,
    });
  });
});

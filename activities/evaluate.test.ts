import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { evaluate } from '#activities/evaluate.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import type { Condition } from '#core/check/condition.ts';
import type { EvaluateInput } from '#core/contract/activities.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';

import { asEngineTask } from '../test/fakes/engine-task.ts';
import { samplePlan } from '../test/fakes/sample-plan.ts';
import { withHost } from '../test/integration/with-host.ts';
import { withPostgres, type TestDatabase } from '../test/integration/with-postgres.ts';

let folder = '';
let server: TestDatabase;
let database: Database;
let deps: HostDeps;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-condition-')));
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  deps = withHost({ folder, database, hostId: 'one' });
  await createRunStore(database).start({ runId: 'run_1', bodySha256: 'run_1', plan: samplePlan(), inputs: {} });
});
afterAll(async () => {
  await database.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function text(command: string, change: Partial<Condition> = {}): Condition {
  return { command, compare: 'stdout', returns: '', timeSeconds: 10, ...change };
}

function judge(condition: Condition, change: Partial<EvaluateInput> = {}) {
  const input: EvaluateInput = {
    runId: 'run_1',
    step: 'work',
    pass: 1,
    purpose: 'repeat',
    condition,
    workspace: { plan: { ...samplePlan().workspace, worktree: false }, path: folder },
    restore: false,
    scope: { inputs: {}, outputs: {}, feedback: [], iteration: 0, run: { id: 'run_1', name: 'run' } },
    ...change,
  };
  return asEngineTask(1, () => evaluate(deps, input));
}

describe('A7, A8: conditions of a step', () => {
  test.each([
    ['F03: one line of several is equal', { by: 'line', returns: 'two' }, 'met'],
    ['a part of a line is not the line', { by: 'line', returns: 'tw' }, 'unmet'],
    ['a pattern matches anywhere', { by: 'pattern', returns: '^t.o$' }, 'met'],
    ['negated', { by: 'pattern', returns: '^t.o$', negate: true }, 'unmet'],
    ['a negated miss', { by: 'line', returns: 'four', negate: true }, 'met'],
    ['the whole, negated', { returns: 'one', negate: true }, 'met'],
  ] as const)('D-14: %s', async (_what, change, kind) => {
    expect(await judge(text('printf "one\\ntwo\\nthree\\n"', change))).toMatchObject({ kind });
  });

  test('F04, D-16: what could not run, or be judged, is an error, and stays one when it is negated', async () => {
    const negated = { returns: 'x', negate: true };
    const reason = '`no-such-command` could not run (not found)';
    expect(await judge(text('no-such-command', negated))).toMatchObject({ kind: 'error', reason });
    expect(await judge(text('echo a', { by: 'pattern', returns: '[', negate: true }))).toMatchObject({ kind: 'error' });
  });

  test('D-14: of several conditions the first that is not met decides, and none after it is asked', async () => {
    const and = [text('false', { compare: 'exitCode', returns: '0' }), text('touch asked', { returns: '' })];
    const outcome = await judge(text('echo yes', { returns: 'yes' }), { purpose: 'when', and });
    expect(outcome).toEqual({ kind: 'unmet', actual: '1' });
    expect(await judge(text('test -e asked', { compare: 'exitCode', returns: '0' }))).toMatchObject({ kind: 'unmet' });
  });

  test('C-12: what it found is kept for the words of the next pass', async () => {
    const command = 'echo out; echo err >&2; exit 3';
    const { found } = await judge(text(command, { compare: 'exitCode', returns: '0' }), { tell: true });
    if (found === undefined) throw new TypeError('nothing was found');
    const [out, err] = await Promise.all(
      [found.stdout, found.stderr].map((ref) => deps.artifacts.readText(ref.sha256)),
    );
    expect([out, err]).toEqual(['out\n', 'err\n']);
    expect(found).toMatchObject({ exitCode: 3, actual: '3', expected: '0', compareSource: 'exitCode' });
  });

  test('C-12: of what was expected the record of each pass holds the beginning', async () => {
    const { found } = await judge(text('echo a', { returns: 'b'.repeat(50_000) }), { tell: true });
    expect(found?.expected).toBe('b'.repeat(2_000));
  });

  test('C-13: a script that does not end is an error with its cause', async () => {
    const { found, kind } = await judge(text('echo slow >&2; sleep 60', { timeSeconds: 0.5 }), { tell: true });
    if (found === undefined) throw new TypeError('nothing was found');
    expect([kind, found.exitCode]).toEqual(['error', undefined]);
    expect(await deps.artifacts.readText(found.stderr.sha256)).toBe('slow\nit did not end within 0.5 s');
    const stopped = await judge(text('trap "exit 5" TERM; sleep 60 & wait', { timeSeconds: 0.5 }), { tell: true });
    expect([stopped.kind, stopped.found?.exitCode]).toEqual(['error', undefined]);
  });
});

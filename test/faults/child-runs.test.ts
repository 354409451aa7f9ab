import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EventPage, RunListed, RunShown } from '#core/contract/http.ts';
import type { StoredEvent } from '#core/run/event.ts';
import { brokenTasks } from './broken-tasks.ts';
import { eventsOf, git } from './held-run.ts';
import { startTestStack, type TestStack } from './stack.ts';
import { until } from './until.ts';

let stack: TestStack;
let repo: string;

beforeAll(async () => {
  stack = await startTestStack();
  repo = join(stack.folder, 'repo');
  await git(stack.folder, 'init', '--quiet', '--initial-branch=main', '--template=', repo);
  writeFileSync(join(repo, 'README.md'), '# A repository\n');
  await git(repo, 'add', '--all');
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@setpoint.invalid', '-c', 'commit.gpgSign=false'];
  await git(repo, ...identity, 'commit', '--quiet', '-m', 'The base');
});
afterAll(() => stack?.close());

const source = (gate: string) => `
setpoint: 1
definitions:
  held: { steps: { wait: { run: 'until [ -e "${gate}" ]; do sleep 0.02; done; echo done' } } }
steps:
  call: { call: held }
  tell: { run: "echo {{steps.call.output}}", after: call }
limits: { time: 10m }
deliver: none
`;

async function startParent(gate: string): Promise<string> {
  const { runId } = RunListed.parse(await stack.call('/v1/runs', { source: source(gate), overrides: { repo } }));
  await until('the child works', async () => {
    const [child] = await childrenOf(runId);
    const events = child === undefined ? [] : await eventsIn(child.runId);
    return eventsOf(events, 'attempt.started')[0];
  });
  return runId;
}

const shown = async (runId: string) => RunShown.parse(await stack.call(`/v1/runs/${runId}`));
const childrenOf = async (runId: string) => (await shown(runId)).children ?? [];
const eventsIn = async (runId: string): Promise<StoredEvent[]> =>
  EventPage.parse(await stack.call(`/v1/runs/${runId}/events?after=0`)).events;

const ended = (runId: string) =>
  until(`${runId} has ended`, async () => {
    const run = await shown(runId);
    return run.summary.status === 'ended' ? run : undefined;
  });

/** Holds up whoever touches the stored word of a child's end, so that its worker can be killed between the two. */
async function holdWords(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: stack.state().databaseUrl });
  await client.connect();
  await client.query(`
    create function hold_words() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(4711); return new; end';
    create trigger hold_words before update on messages for each row when (old.kind = 'childSettled')
      execute function hold_words();
    select pg_advisory_lock(4711)`);
  return async () => {
    // First: who waits for it holds the table that the trigger is on.
    await client.query('select pg_advisory_unlock(4711)');
    await client.query('drop trigger hold_words on messages');
    await client.end();
  };
}

test('E5, decision 12: kill -9 between the end of a child and the word to its parent: the word is not lost, and counts once', async () => {
  const gate = join(stack.folder, 'open');
  const runId = await startParent(gate);
  const [child] = await childrenOf(runId);
  const release = await holdWords();
  const control = stack.pid('control');
  writeFileSync(gate, '');
  await until('the word is stored', async () => {
    const rows = await stack.query<{ status: string }>(`select status from messages where kind = 'childSettled'`);
    return rows[0]?.status === 'pending' || undefined;
  });
  expect((await shown(child?.runId ?? '')).summary.stop?.kind).toBe('succeeded');
  await stack.kill('control');
  await release();
  await stack.untilReplaced('control', control);
  expect((await ended(runId)).summary.stop).toMatchObject({ kind: 'succeeded' });
  const events = await eventsIn(runId);
  expect(eventsOf(events, 'child.settled')).toHaveLength(1);
  expect(await childrenOf(runId)).toHaveLength(1);
  expect(await brokenTasks(stack, runId)).toEqual([]);
});

test('a child that ends after its parent has: the word is refused, and says why', async () => {
  const gate = join(stack.folder, 'late');
  const runId = await startParent(gate);
  const [child] = await childrenOf(runId);
  await stack.call(`/v1/runs/${runId}/cancel`, { reason: 'a test' });
  await ended(runId);
  // It was cancelled with its parent; retried by itself it ends once more, and nobody waits for it.
  const [{ now: retriedAt } = { now: '' }] = await stack.query<{ now: string }>('select now()::text as now');
  await stack.call(`/v1/runs/${child?.runId ?? ''}/retry`, {});
  writeFileSync(gate, '');
  const answer = await until('its second end was told', async () => {
    const rows = await stack.query<{ answer: object | null }>(
      `select answer from messages where kind = 'childSettled' and run_id = $1 and created_at > $2`,
      [runId, retriedAt],
    );
    return rows[0]?.answer ?? undefined;
  });
  expect(answer).toMatchObject({ kind: 'refused', code: 'run/ended' });
});

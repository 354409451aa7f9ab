import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { locateRepository, houseDir } from '#infra/git/repository.ts';
import { withRepositoryLock } from '#infra/git/lock.ts';
import { type Gate, type HeldRun, startHeldRun } from './held-run.ts';
import type { TestStack } from './stack.ts';
import { until } from './until.ts';

/** Where in its life a run is when something is killed. */
export const moments = [
  'opening',
  'in an attempt',
  'between attempt and check',
  'in a check',
  'recording',
  'delivering',
] as const;
export type Moment = (typeof moments)[number];

const gates: Readonly<Record<Moment, Gate>> = {
  opening: 'setup',
  'in an attempt': 'attempt',
  'between attempt and check': 'attempt',
  'in a check': 'first check',
  recording: 'attempt',
  delivering: 'last check',
};

/** One run at each moment, all held there at once, so that one kill meets six of them. */
export interface Scene {
  runs: Readonly<Record<Moment, HeldRun>>;
  /** Lets go of what only the test holds: the record's table, the control worker, the repository of the delivery. */
  release(): Promise<void>;
}

/** Brings a new run to every moment and holds it there. */
export async function setScene(stack: TestStack, title: string): Promise<Scene> {
  const started = await Promise.all(
    moments.map(async (moment) => [moment, await startHeldRun(stack, `${title} ${moment}`, gates[moment])] as const),
  );
  const runs = Object.fromEntries(started) as Record<Moment, HeldRun>;
  await Promise.all(moments.map((moment) => runs[moment].untilArrived()));
  const letDeliver = await holdDelivery(runs.delivering);
  const letRecord = await holdRecording(stack, runs.recording);
  const letControl = await holdControl(stack, runs['between attempt and check']);
  return {
    runs,
    async release() {
      letControl();
      await letRecord();
      await letDeliver();
    },
  };
}

/** When the law decided something of the run after `since`, both in epoch milliseconds; undefined until that is recorded. */
export async function firstEventSince(stack: TestStack, runId: string, since: number): Promise<number | undefined> {
  const rows = await stack.query<{ at: number }>(
    `select (event ->> 'at')::float8 as at from events
     where run_id = $1 and (event ->> 'at')::float8 > $2 order by seq limit 1`,
    [runId, since],
  );
  return rows[0]?.at;
}

/** The delivery begins and waits for the repository's lock, which the test has. */
async function holdDelivery(run: HeldRun): Promise<() => Promise<void>> {
  const repository = await locateRepository(run.repo);
  const gate = new Gateway();
  const taken = new Gateway();
  const held = withRepositoryLock(repository, async () => {
    taken.open();
    await gate.opened;
  });
  await taken.opened;
  run.letGo();
  await until('the delivery waits for the repository', () => untilWaiting(join(houseDir(repository), 'lock')));
  return async () => {
    gate.open();
    await held;
  };
}

/** Whoever waits for a turn has its draft in the folder of the lock. */
async function untilWaiting(folder: string): Promise<true | undefined> {
  return (await readdir(folder)).some((name) => name.startsWith('draft-')) ? true : undefined;
}

/** The attempt has finished and is stored; its event waits for the table. */
async function holdRecording(stack: TestStack, run: HeldRun): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: stack.state().databaseUrl });
  // The database may be the one that is killed.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query('lock table events in exclusive mode');
  run.letGo();
  await untilFinished(stack, run);
  await until('an event waits to be recorded', async () => {
    const waiting = await stack.query(
      `select from pg_locks where not granted and relation = 'events'::regclass limit 1`,
    );
    return waiting.length > 0 ? true : undefined;
  });
  return async () => {
    await client.query('rollback').catch(() => undefined);
    await client.end().catch(() => undefined);
  };
}

/** The attempt has finished and is stored; the control worker stands still, so nothing follows from it. */
async function holdControl(stack: TestStack, run: HeldRun): Promise<() => void> {
  const held = stack.pid('control');
  process.kill(held, 'SIGSTOP');
  run.letGo();
  await untilFinished(stack, run);
  return () => {
    try {
      process.kill(held, 'SIGCONT');
    } catch (error) {
      // It was the one that was killed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  };
}

async function untilFinished(stack: TestStack, run: HeldRun): Promise<void> {
  await until('the attempt is stored', async () => {
    const rows = await stack.query(`select from attempts where run_id = $1 and stage = 'finished'`, [run.runId]);
    return rows.length > 0 ? true : undefined;
  });
}

/** A promise that somebody else settles. */
class Gateway {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

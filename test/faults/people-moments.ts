import pg from 'pg';
import { type AskingRun, type Sent, type Shell, startAskingRun } from './asking-run.ts';
import { eventsOf } from './held-run.ts';
import type { TestStack } from './stack.ts';
import { until } from './until.ts';

/** Where a run of people and child runs is when something is killed. */
export const peopleMoments = [
  'a task is open',
  'a decision is being sent',
  'a decision has counted and is not answered',
  'between the decision and the next pass',
  'a child run runs',
  'paused by a person',
] as const;
export type PeopleMoment = (typeof peopleMoments)[number];

type Asked = Exclude<PeopleMoment, 'a child run runs' | 'paused by a person'>;

export function isAsked(moment: PeopleMoment): moment is Asked {
  return moment !== 'a child run runs' && moment !== 'paused by a person';
}

/** One run at each moment, all held there at once, so that one kill meets them all. */
export interface PeopleScene {
  moments: readonly PeopleMoment[];
  run(moment: PeopleMoment): AskingRun;
  /** Lets go of what only the test holds: the answers, the control worker. */
  release(): Promise<void>;
}

/** The push back that every question gets first, under one id however often it is sent. */
export const pushedBack = ({ runId }: AskingRun): Sent => {
  return { decision: 'push_back', decisionId: `back_${runId}`, revision: 1 };
};

/** Brings a new run to each of the moments and holds it there. */
export async function setPeopleScene(
  stack: TestStack,
  repo: string,
  moments: readonly PeopleMoment[],
): Promise<PeopleScene> {
  const started = moments.map(async (moment) => [moment, await startAskingRun(stack, repo, sources[moment])] as const);
  const runs = new Map(await Promise.all(started));
  const runAt = (moment: PeopleMoment): AskingRun => {
    const run = runs.get(moment);
    if (run === undefined) throw new TypeError(`no run is in the moment: ${moment}`);
    return run;
  };
  await Promise.all(moments.map((moment) => arrive(stack, moment, runAt(moment))));
  const letAnswer = await holdAnswer(stack, runAt('a decision has counted and is not answered'));
  const letControl = await holdSending(stack, runAt('a decision is being sent'));
  return {
    moments,
    run: runAt,
    async release() {
      letControl();
      await letAnswer();
    },
  };
}

async function arrive(stack: TestStack, moment: PeopleMoment, run: AskingRun): Promise<void> {
  if (moment === 'a child run runs') return untilStarted(run, 'child');
  if (moment === 'paused by a person') return pause(stack, run);
  await run.asks(1);
  if (holdsNextPass(moment)) await untilStarted(run, 'side');
  if (moment === 'between the decision and the next pass') await run.decide(pushedBack(run));
}

/** Where the decision counts already, another step keeps its next pass from beginning. */
export function holdsNextPass(moment: PeopleMoment): boolean {
  return moment === 'between the decision and the next pass' || moment === 'a decision has counted and is not answered';
}

const limits = 'limits: { time: 15m }\ndeliver: none\n';

/** A command, and a question that leads back to it. */
export const asking = ({ tell }: Shell): string => `
setpoint: 1
steps:
  work: { run: '${tell('work')}' }
  ready: { person: { ask: 'Ship it?' }, after: work, loop: { to: work } }
${limits}`;

/** Who writes into the workspace goes on while the question is open, so that the next pass of `work` must wait for it. */
const askingWhileHeld = ({ tell, hold }: Shell): string => `
setpoint: 1
steps:
  work: { run: '${tell('work')}' }
  side: { run: '${tell('side')}; ${hold}' }
  ready: { person: { ask: 'Ship it?' }, after: work, loop: { to: work } }
${limits}`;

const calling = ({ tell, hold }: Shell): string => `
setpoint: 1
definitions:
  held: { steps: { wait: { run: '${tell('child')}; ${hold}; echo done' } } }
steps:
  call: { call: held }
  after: { run: '${tell('after')}', after: call }
${limits}`;

const pausing = ({ tell, hold }: Shell): string => `
setpoint: 1
steps:
  work: { run: '${tell('work')}; ${hold}' }
  after: { run: '${tell('after')}', after: work }
${limits}`;

const sources: Readonly<Record<PeopleMoment, (shell: Shell) => string>> = {
  'a task is open': asking,
  'a decision is being sent': asking,
  'a decision has counted and is not answered': askingWhileHeld,
  'between the decision and the next pass': askingWhileHeld,
  'a child run runs': calling,
  'paused by a person': pausing,
};

async function untilStarted(run: AskingRun, command: string): Promise<void> {
  await until(`${command} of ${run.runId} is started`, () => run.starts(command) > 0 || undefined);
}

/** What has begun goes on to its end, and nothing new begins (E3). */
async function pause(stack: TestStack, run: AskingRun): Promise<void> {
  await untilStarted(run, 'work');
  await stack.call(`/v1/runs/${run.runId}/pause`, { reason: 'a test' });
  run.letGo();
  await until('the step before the pause is done', async () => {
    return eventsOf(await run.events(), 'step.succeeded')[0];
  });
}

/** The decision counts in the workflow and is in the record; its row waits for a lock that the test has. */
async function holdAnswer(stack: TestStack, run: AskingRun): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: stack.state().databaseUrl });
  // The database may be the one that is killed.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`
    create or replace function hold_answers() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(hashtext(old.run_id)); return new; end';
    create or replace trigger hold_answers before update on messages for each row when (old.kind = 'decide')
      execute function hold_answers()`);
  await client.query('select pg_advisory_lock(hashtext($1))', [run.runId]);
  sendAndForget(run);
  await until('the decision counts', async () => eventsOf(await run.events(), 'task.decided')[0]);
  return async () => {
    await client.end().catch(() => undefined);
  };
}

/** The decision is stored and sent; the control worker, which would judge it, stands still. */
async function holdSending(stack: TestStack, run: AskingRun): Promise<() => void> {
  const held = stack.pid('control');
  process.kill(held, 'SIGSTOP');
  sendAndForget(run);
  await untilPending(stack, run);
  return () => {
    try {
      process.kill(held, 'SIGCONT');
    } catch (error) {
      // It was the one that was killed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  };
}

export async function untilPending(stack: TestStack, { runId }: AskingRun): Promise<void> {
  await until(`the decision on ${runId} is stored`, async () => {
    const rows = await stack.query(
      `select from messages where run_id = $1 and kind = 'decide' and status = 'pending'`,
      [runId],
    );
    return rows.length > 0 || undefined;
  });
}

/** Whoever sends it never hears what became of it. */
function sendAndForget(run: AskingRun): void {
  run.send(pushedBack(run)).catch(() => undefined);
}

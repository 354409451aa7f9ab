import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '#core/contract/http.ts';
import { seatId } from '#core/contract/seat-name.ts';
import { type AskingRun, makeSharedRepository, type Sent, startAskingRun } from './asking-run.ts';
import { brokenTasks } from './broken-tasks.ts';
import { eventsOf } from './held-run.ts';
import { asking, untilPending } from './people-moments.ts';
import { startTestStack, type TestStack } from './stack.ts';
import { until } from './until.ts';

let stack: TestStack;
let repo: string;

beforeAll(async () => {
  stack = await startTestStack();
  repo = await makeSharedRepository(stack);
});

afterAll(() => stack?.close());

/** An agent that is let go in its first pass and needs six. */
const passes = 6;
const startLoop = () =>
  startAskingRun(
    stack,
    repo,
    ({ tell, told, hold }) => `
setpoint: 1
task: Go on.
agent:
  name: scripted
  passes: ['${tell('pass')}; ${hold}; wc -l < "${told('pass')}" >> counted']
checks: [{ name: enough, run: 'test "$(wc -l < "${told('pass')}")" -ge ${passes}' }]
baseline: off
limits: { passes: 9, time: 15m }
deliver: none
`,
  );

const answer = ({ runId }: AskingRun, decision: Sent['decision'], revision = 1): Sent => {
  return { decision, revision, decisionId: `${decision}_${runId}` };
};

/** The engine has the decision, and no worker has been given it yet. */
async function untilAdmitted({ runId }: AskingRun, updateIds: readonly string[]): Promise<void> {
  const { temporalAddress, temporalNamespace: namespace } = stack.state();
  const connection = await Connection.connect({ address: temporalAddress });
  const workflowExecution = { workflowId: seatId(runId, 1) };
  const stageOf = async (updateId: string) => {
    try {
      const updateRef = { workflowExecution, updateId };
      return (await connection.workflowService.pollWorkflowExecutionUpdate({ namespace, updateRef })).stage;
    } catch (error) {
      if (isGrpcServiceError(error) && error.code === 5) return undefined;
      throw error;
    }
  };
  try {
    for (const updateId of updateIds) await until(`the engine has ${updateId}`, () => stageOf(updateId));
  } finally {
    await connection.close();
  }
}

/** A 202 says that no worker has answered yet: the same decision is sent again. */
function untilAnswered(run: AskingRun, decision: Sent, first: Response | undefined): Promise<Response> {
  let response = first;
  return until('the decision is answered', async () => {
    if (response === undefined || response.status === 202) response = await run.send(decision);
    return response.status === 202 ? undefined : response;
  });
}

test('D2: of two opposite decisions in one workflow task one is applied, and one is refused with 409', async () => {
  const run = await startAskingRun(stack, repo, asking);
  await run.asks(1);
  const control = stack.pid('control');
  stack.signal('supervisor', 'SIGSTOP');
  await stack.kill('control');
  const both = [answer(run, 'approve'), answer(run, 'reject')];
  const sent = both.map((each) => run.send(each));
  await untilAdmitted(
    run,
    both.map(({ decisionId }) => decisionId),
  );
  stack.signal('supervisor', 'SIGCONT');
  await stack.untilReplaced('control', control);
  const first = await Promise.all(sent);
  const answers = await Promise.all(
    both.map(async (each, index) => {
      const response = await untilAnswered(run, each, first[index]);
      return { ...each, status: response.status, body: (await response.json()) as unknown };
    }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  expect(Problem.parse(answers.find(({ status }) => status === 409)?.body).code).toBe('task/decided');
  const applied = answers.find(({ status }) => status === 200);
  const decided = [applied?.decisionId];
  if (applied?.decision === 'reject') {
    // D4: the work goes back, and the question is asked again.
    await run.asks(2);
    const again = { decision: 'approve' as const, revision: 2, decisionId: `again_${run.runId}` };
    expect((await run.send(again)).status).toBe(200);
    decided.push(again.decisionId);
  }
  const { summary } = await run.ended();
  const events = await run.events();
  expect(eventsOf(events, 'task.decided').map(({ messageId }) => messageId)).toEqual(decided);
  expect(summary.stop?.kind).toBe('succeeded');
});

test('decision 50, D2: without a database no loop is slowed, no result is lost, and a decision counts or is refused with 503', async () => {
  const [loop, early, late] = await Promise.all([
    startLoop(),
    startAskingRun(stack, repo, asking),
    startAskingRun(stack, repo, asking),
  ]);
  await until('the agent works', () => loop.starts('pass') === 1 || undefined);
  await Promise.all([early.asks(1), late.asks(1)]);
  const [control, postgres] = [stack.pid('control'), stack.pid('postgres')];
  // Stored before the database goes, and judged after.
  stack.signal('control', 'SIGSTOP');
  const lost = early.send(answer(early, 'push_back')).catch(() => undefined);
  await untilPending(stack, early);
  await untilAdmitted(early, [answer(early, 'push_back').decisionId]);
  stack.signal('supervisor', 'SIGSTOP');
  try {
    await stack.kill('postgres');
    process.kill(control, 'SIGCONT');
    loop.letGo();
    await until('the loop made all its passes', () => loop.starts('pass') === passes || undefined);
    await until('the decision led to another pass', () => early.starts('work') === 2 || undefined);
    const refused = await late.send(answer(late, 'push_back'));
    const problem = Problem.parse(await refused.json());
    expect([refused.status, problem.code, problem.remedy]).toEqual([503, 'store/unavailable', expect.any(String)]);
    await lost;
  } finally {
    stack.signal('supervisor', 'SIGCONT');
  }
  await stack.untilReplaced('postgres', postgres);
  for (const run of [early, late]) {
    await run.decide(answer(run, 'push_back'));
    await run.asks(2);
    await run.decide(answer(run, 'approve', 2));
  }
  for (const run of [loop, early, late]) await expectWhole(run);
  const finished = eventsOf(await loop.events(), 'attempt.finished').map(({ pass, attempt }) => [pass, attempt]);
  expect(finished).toEqual(Array.from({ length: passes }, (_, index) => [index + 1, 1]));
  expect(loop.starts('pass')).toBe(passes);
  for (const run of [early, late]) {
    const decided = eventsOf(await run.events(), 'task.decided').map(({ messageId }) => messageId);
    expect(decided).toEqual([`push_back_${run.runId}`, `approve_${run.runId}`]);
    expect(run.starts('work')).toBe(2);
  }
  await until('what the host kept is stored', async () => {
    const rows = await stack.query(`select from attempts where run_id = $1 and stage = 'finished'`, [loop.runId]);
    return rows.length === passes || undefined;
  });
  expect(await stack.query('select from verdicts where run_id = $1', [loop.runId])).toHaveLength(passes);
});

test('decision 50, E5: a host that is killed while the database is away repeats nothing that it had finished', async () => {
  const run = await startLoop();
  await until('the agent works', () => run.starts('pass') === 1 || undefined);
  const roles = ['host', 'postgres'] as const;
  const before = roles.map((role) => [role, stack.pid(role)] as const);
  const kept = join(stack.home, 'run');
  stack.signal('supervisor', 'SIGSTOP');
  try {
    await stack.kill('postgres');
    // Nobody but the host's own disk hears of the result.
    stack.signal('temporal', 'SIGSTOP');
    run.letGo();
    await until('the result is kept', () => (keptResults(kept) > 0 ? true : undefined));
    await stack.kill('host');
    stack.signal('temporal', 'SIGCONT');
  } finally {
    stack.signal('supervisor', 'SIGCONT');
  }
  await Promise.all(before.map(([role, pid]) => stack.untilReplaced(role, pid)));
  await expectWhole(run);
  expect(run.starts('pass')).toBe(passes);
  expect(keptResults(kept)).toBe(0);
});

/** How many results of attempts wait on the host's disk. */
function keptResults(folder: string): number {
  const folders = readdirSync(folder).filter((name) => name.startsWith('unstored-'));
  const files = folders.flatMap((name) => readdirSync(join(folder, name)).map((file) => join(folder, name, file)));
  return files.filter((file) => file.endsWith('.json') && readFileSync(file, 'utf8').includes('"kind":"result"'))
    .length;
}

async function expectWhole(run: AskingRun): Promise<void> {
  const { summary } = await run.ended();
  const events = await run.events();
  const gapless = events.every(({ seq }, index) => seq === index + 1);
  expect([summary.stop?.kind, gapless, await brokenTasks(stack, run.runId)]).toEqual(['succeeded', true, []]);
}

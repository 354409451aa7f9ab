import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DefinitionShown } from '#core/contract/library.ts';
import type { Problem } from '#core/contract/http.ts';
import { TaskDecided, TaskList } from '#core/contract/tasks.ts';
import { forgetRefs, runRefsOf } from '#infra/git/forget-snapshots.ts';
import { loopOf, refused, type SteeredRuns, steeredRuns } from './steered-runs.ts';
import { bodyOf, type TestApi } from './with-api.ts';
import { withWorkers } from './with-workers.ts';

let api: TestApi;
let runs: SteeredRuns;

beforeAll(async () => {
  api = await withWorkers();
  runs = steeredRuns(api);
});
afterAll(() => api.close());

/** All that could have changed: the record of the run and how it stands, and how many runs, forks and definitions there are. */
async function everything(runId: string): Promise<unknown> {
  const { rows } = await api.database.query({
    text: `select (select count(*) from runs) as runs, (select count(*) from definitions) as definitions,
      (select count(*) from messages where run_id = $1 and status = 'applied') as applied`,
    values: [runId],
  });
  const { summary, state, forks } = await runs.show(runId);
  return { rows, summary, state, forks, events: await runs.eventsOf(runId) };
}

/** Calls, and sees that the answer is this problem (`status code`), with a remedy, and that nothing has changed. */
async function refusedWhole(runId: string, expected: string, send: () => Promise<Response>): Promise<Problem> {
  const before = await everything(runId);
  const problem = await refused(send());
  expect(`${problem.status} ${problem.code}`).toBe(expected);
  expect(problem.detail).toMatch(/\S/);
  expect(problem.remedy).toMatch(/\S/);
  expect(await everything(runId)).toEqual(before);
  return problem;
}

const decide = (taskId: string, body: object) => api.call(`/v1/tasks/${taskId}/decisions`, { body });
const taskOf = (runId: string) => `task_${runId.slice('run_'.length)}.agree`;

const form = { type: 'object', properties: { risk: { enum: ['low', 'high'] } }, required: ['risk'] };

/** A run that waits for a person, with a step before the question to which a push back goes. */
async function waiting(person: object = {}): Promise<string> {
  const runId = await runs.start({
    name: 'Asks',
    steps: {
      work: { run: 'date +%N > n' },
      agree: { person: { ask: 'Is it right?', ...person }, after: 'work', loop: { to: 'work' } },
    },
    limits: { time: '10m' },
    deliver: 'none',
  });
  await runs.hasStatus(runId, 'waiting');
  return runId;
}

const twoPasses = {
  passes: ['echo 1 >> n', 'echo 2 >> n'],
  check: 'test -e never',
  change: { limits: { passes: 2, time: '10m', noProgress: 0 }, onExhausted: 'pause' },
};

async function exhausted(): Promise<string> {
  const runId = await runs.start(twoPasses);
  await runs.hasStatus(runId, 'paused');
  return runId;
}

describe('decisions', () => {
  test('D2: a form that does not validate', async () => {
    const runId = await waiting({ form });
    const wrong = { decision: 'approve', form: { risk: 'none' } };
    const problem = await refusedWhole(runId, '422 task/form-invalid', () => decide(taskOf(runId), wrong));
    expect(problem.issues).toMatchObject([{ path: 'form.risk' }]);
  });

  test('D6: a decision on a task that was opened again', async () => {
    const runId = await waiting();
    const task = taskOf(runId);
    const pushed = { decision: 'push_back', message: 'Once more.', revision: 1 };
    expect((await decide(task, pushed)).status).toBe(200);
    await runs.until(runId, ({ summary: { status } }, events) =>
      status === 'waiting' && events.filter(({ type }) => type === 'task.opened').length === 2 ? true : undefined,
    );
    await refusedWhole(runId, '409 task/reopened', () => decide(task, { decision: 'approve', revision: 1 }));
  });

  test('D2: a second, different decision', async () => {
    const runId = await waiting();
    expect((await decide(taskOf(runId), { decision: 'approve', revision: 1 })).status).toBe(200);
    expect(await runs.stopOf(runId)).toBe('succeeded');
    await refusedWhole(runId, '409 task/decided', () => decide(taskOf(runId), { decision: 'reject', revision: 1 }));
  });
});

describe('steering', () => {
  test('E3: an edit of what may not change', async () => {
    const runId = await exhausted();
    const definition = loopOf({ ...twoPasses, change: { ...twoPasses.change, workspace: { setup: 'true' } } });
    const problem = await refusedWhole(runId, '409 edit/not-allowed', () => runs.post(runId, 'edit', { definition }));
    expect(problem.detail).toContain('workspace');
  });

  test('E3: a resume whose cause holds', async () => {
    const runId = await exhausted();
    const problem = await refusedWhole(runId, '409 run/cause-holds', () => runs.post(runId, 'resume'));
    expect(`${problem.detail} ${problem.remedy ?? ''}`).toContain(`setpoint raise ${runId} --passes`);
  });

  test.each([{ passes: 1 }, { passes: 2 }, { time: '1s' }])('E3: a raise below what is spent: %j', async (limits) => {
    const runId = await exhausted();
    const problem = await refusedWhole(runId, '409 raise/not-higher', () => runs.post(runId, 'raise', limits));
    expect(problem.detail).toMatch('passes' in limits ? /2/ : /10m|600/);
  });

  test('E8: a fork of a snapshot that is gone', async () => {
    const runId = await exhausted();
    await forgetRefs(runs.repository.path, (await runRefsOf(runs.repository.path, runId)).snapshots);
    const body = { step: 'work', pass: 1 };
    const problem = await refusedWhole(runId, '409 fork/snapshot-gone', () => runs.post(runId, 'fork', body));
    expect(problem.detail).toContain('work');
  });
});

describe('calls', () => {
  const calling = (name: string) => `steps: { a: { call: ${name} } }\nlimits: { time: 10m }\ndeliver: none\n`;
  const put = (name: string, source: string) =>
    api.call(`/v1/definitions/${name}`, { method: 'PUT', body: { source } });

  test('A14: a definition that does not exist', async () => {
    const other = await exhausted();
    const start = () => api.call('/v1/runs', { body: { source: calling('nowhere') } });
    const problem = await refusedWhole(other, '422 definition/invalid', start);
    expect(problem.issues).toMatchObject([{ code: 'call/unknown-definition', path: 'steps.a.call', line: 1 }]);
  });

  test('A14: a loop of calls, inside one definition and over stored ones', async () => {
    const other = await exhausted();
    const inside = `definitions: { b: { steps: { x: { call: b } } } }\n${calling('b')}`;
    const started = await refusedWhole(other, '422 definition/invalid', () =>
      api.call('/v1/runs', { body: { source: inside } }),
    );
    expect(started.issues?.map(({ code }) => code)).toContain('call/loop');
    const last = 'steps: { say: { run: echo x } }\nlimits: { time: 10m }\n';
    expect([(await put('last', last)).status, (await put('first', calling('last'))).status]).toEqual([201, 201]);
    const closed = await refusedWhole(other, '422 definition/invalid', () => put('last', calling('first')));
    expect(closed.issues?.map(({ code }) => code)).toContain('call/loop');
    const { source, version } = await bodyOf(api.call('/v1/definitions/last'), DefinitionShown);
    expect([source, version]).toEqual([last, 1]);
  });
});

describe('10,000 open tasks', () => {
  const many = 10_000;

  /** As many rows as that many waiting runs would have: only the first of them has a workflow. */
  async function multiply(runId: string): Promise<void> {
    await api.database.query({
      text: `insert into runs select (jsonb_populate_record(r, jsonb_build_object('run_id', 'run_many' || n))).*
        from runs r, generate_series(1, $2::int) n where r.run_id = $1`,
      values: [runId, many],
    });
    await api.database.query({
      text: `insert into tasks select (jsonb_populate_record(t,
          jsonb_build_object('run_id', 'run_many' || n, 'task_id', 'task_many' || n || '.agree'))).*
        from tasks t, generate_series(1, $2::int) n where t.run_id = $1`,
      values: [runId, many],
    });
    await api.database.query({ text: 'analyze runs, tasks', values: [] });
  }

  const decided = async (runId: string) => {
    const answer = await decide(taskOf(runId), { decision: 'approve', revision: 1 });
    expect(answer.status).toBe(200);
    expect((await bodyOf(answer, TaskDecided)).task.state).toBe('decided');
    expect(await runs.stopOf(runId)).toBe('succeeded');
  };
  /** Milliseconds of the fastest of three: what the machine does beside it makes no difference. */
  const fastest = async (work: () => Promise<void>) => {
    const times: number[] = [];
    for (const _time of [1, 2, 3]) {
      const began = performance.now();
      await work();
      times.push(performance.now() - began);
    }
    return Math.min(...times);
  };

  test('D1: all are listed, page by page, each once; deciding one of them is as quick as ever', async () => {
    const waitingRuns = await Promise.all(Array.from({ length: 6 }, () => waiting()));
    const [before, after] = [waitingRuns.slice(0, 3), waitingRuns.slice(3)];
    const decideNext = (left: string[]) => fastest(async () => decided(left.pop() ?? expect.fail('no run left')));
    const first = await decideNext(before);
    await multiply(after[0] ?? '');
    const ids: string[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: TaskList = await bodyOf(api.call(`/v1/tasks?state=open&limit=200${query}`), TaskList);
      ids.push(...page.tasks.map(({ taskId }) => taskId));
      cursor = page.cursor;
    }
    expect(ids.filter((id) => id.startsWith('task_many'))).toHaveLength(many);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(await decideNext(after)).toBeLessThan(3 * first + 500);
  });
});

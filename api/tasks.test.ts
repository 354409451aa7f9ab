import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { Problem } from '#core/contract/http.ts';
import { PersonPut } from '#core/contract/library.ts';
import { TaskDecided, TaskList, TaskShown } from '#core/contract/tasks.ts';
import { notificationsOf, notificationUrl } from '#core/notify/notification.ts';
import type { PersonPlan, StepPlan } from '#core/plan/plan.ts';
import { openBell } from '#api/bell.ts';
import { loopTo, personWork, plan, step } from '../test/fakes/plans.ts';
import { bodyOf, type TestApi } from '../test/integration/with-api.ts';
import { withWorkers } from '../test/integration/with-workers.ts';

let api: TestApi;
let repo = '';
const tokens: Record<string, string> = {};

beforeAll(async () => {
  api = await withWorkers();
  repo = join(api.parts.dataFolder, 'checkout');
  await mkdir(repo);
  await writeFile(join(repo, 'plan.md'), 'the plan\n');
  for (const [name, teams] of Object.entries({ ada: ['web'], bob: ['ops'], carol: ['web'] })) {
    const put = await api.call(`/v1/people/${name}`, { method: 'PUT', body: { teams } });
    tokens[name] = (await bodyOf(put, PersonPut)).token ?? '';
  }
});
afterAll(() => api.close());

const as = (name: string) => ({ headers: { authorization: `Bearer ${tokens[name] ?? 'a-token'}` } });

interface Asking {
  person?: Partial<PersonPlan>;
  /** A command before the question, to which a push back goes. */
  work?: string;
  createdBy?: string;
  after?: StepPlan[];
}

/** A run that asks a person: its id, and that of its task once it is open. */
async function asking({ person = {}, work = 'true', createdBy = 'owner', after = [] }: Asking = {}) {
  const runId = `run_${ulid().toLowerCase()}`;
  const steps = [
    step('work', { work: { kind: 'run', command: work } }),
    step('agree', { work: personWork(person), after: ['work'], loop: loopTo('work') }),
    ...after,
  ];
  const base = plan(steps);
  const asked = { ...base, workspace: { ...base.workspace, repo, worktree: false } };
  const { run } = await started({ runId, bodySha256: runId, plan: asked, inputs: {}, createdBy });
  await api.parts.engine.startSeat({ runId, seat: 1, plan: run.plan, inputs: {} });
  const taskId = `task_${runId.slice('run_'.length)}.agree`;
  await until(runId, async () => (await api.call(`/v1/tasks/${taskId}`)).status === 200);
  return { runId, taskId };
}

async function started(run: Parameters<TestApi['parts']['runs']['start']>[0]) {
  const row = await api.parts.runs.start(run);
  if (row.kind === 'conflict') throw new TypeError(`${run.runId} was there before`);
  return row;
}

/** Waits for what the record of the run comes to tell. */
async function until(runId: string, holds: () => Promise<boolean>): Promise<void> {
  const bell = openBell(api.parts.stream, runId);
  try {
    while (!(await holds())) await bell.wait(5_000, new AbortController().signal);
  } finally {
    bell.close();
  }
}

const show = (taskId: string, name = 'owner') => bodyOf(api.call(`/v1/tasks/${taskId}`, as(name)), TaskShown);
const decide = (taskId: string, body: object, name = 'owner') =>
  api.call(`/v1/tasks/${taskId}/decisions`, { body, ...as(name) });
const codeOf = async (response: Response) => [response.status, (await bodyOf(response, Problem)).code];
const decided = async (response: Response): Promise<z.infer<typeof TaskDecided>> => {
  expect([response.status, response.headers.get('location')]).toEqual([200, expect.stringContaining('/v1/tasks/')]);
  return bodyOf(response, TaskDecided);
};
const revisionOf = async (taskId: string) => (await show(taskId)).revision;
const stopOf = async (runId: string) => (await api.parts.runs.find(runId))?.summary.stop?.kind;

test('D1, D-08: a task shows what was frozen when it opened, where to read it and who decides', async () => {
  const { runId, taskId } = await asking({
    work: 'echo did it',
    person: {
      ask: 'Is {{steps.work.output}} right?',
      show: [
        { kind: 'output', step: 'work' },
        { kind: 'file', path: 'plan.md' },
      ],
      who: ['team:web'],
      quorum: 2,
    },
  });
  const task = await show(taskId, 'ada');
  expect(task).toMatchObject({
    taskId,
    runId,
    runName: 'test',
    project: 'default',
    step: 'agree',
    pass: 1,
    revision: 1,
    state: 'open',
    asked: 'Is did it right?',
    who: ['team:web'],
    quorum: 2,
    approvals: 0,
    mayDecide: 'yes',
    backTo: ['work'],
  });
  expect((await show(taskId, 'bob')).mayDecide).toBe('not-asked');
  const texts = await Promise.all(task.shown.map(async ({ url }) => (await api.call(url)).text()));
  expect(texts).toEqual(['did it\n', 'the plan\n']);
  const listed = await bodyOf(api.call(`/v1/tasks?state=open&run=${runId}&mine=true`, as('ada')), TaskList);
  expect(listed.tasks.map((one) => one.taskId)).toEqual([taskId]);
  expect(await bodyOf(api.call(`/v1/tasks?run=${runId}&mine=true`, as('bob')), TaskList)).toEqual({ tasks: [] });
  expect(await codeOf(await api.call('/v1/tasks/task_none'))).toEqual([404, 'task/not-found']);
});

test('D2: an approval counts, the same again is the same, and another answer conflicts', async () => {
  const { runId, taskId } = await asking({
    after: [step('later', { work: { kind: 'run', command: 'true' }, after: ['agree'] })],
  });
  const body = { decision: 'complete', message: 'Good.', decisionId: `${taskId}-1`, revision: 1 };
  const first = await decided(await decide(taskId, body));
  expect(first).toMatchObject({ decisionId: `${taskId}-1`, task: { state: 'decided', approvals: 1 }, run: { runId } });
  expect(first.task.decisions).toMatchObject([{ decision: 'approve', by: 'owner', comment: 'Good.', final: true }]);
  await until(runId, async () => (await stopOf(runId)) === 'succeeded');
  for (const again of [body, { ...body, decisionId: `${taskId}-2` }]) {
    expect((await decided(await decide(taskId, again))).task.decisions).toHaveLength(1);
  }
  expect(await stopOf(runId)).toBe('succeeded');
  expect(await codeOf(await decide(taskId, { decision: 'reject' }))).toEqual([409, 'task/decided']);
  expect(await codeOf(await decide(taskId, { ...body, message: 'Bad.' }))).toEqual([409, 'run/message-conflict']);
});

test('D2: of two opposite decisions at once one is applied, the other a conflict', async () => {
  const { runId, taskId } = await asking();
  const answers = await Promise.all([
    decide(taskId, { decision: 'approve', revision: 1 }, 'ada'),
    decide(taskId, { decision: 'reject', revision: 1 }, 'bob'),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  const { decisions } = await show(taskId);
  expect(decisions).toHaveLength(1);
  await until(runId, async () => decisions[0]?.decision === 'reject' || (await stopOf(runId)) === 'succeeded');
});

const form = {
  type: 'object',
  properties: { risk: { enum: ['low', 'high'] }, count: { type: 'integer', default: 2 } },
  required: ['risk'],
  additionalProperties: false,
};

test('D2, D-10: a form that does not hold is refused with every issue, and nothing changes', async () => {
  const { runId, taskId } = await asking({ person: { form } });
  const before = await api.parts.runs.eventsAfter(runId, 0);
  const refused = await decide(taskId, { decision: 'approve', form: { risk: 'none', count: 'two', more: 1 } });
  const { status, code, issues, remedy } = await bodyOf(refused, Problem);
  expect([status, code, remedy]).toEqual([422, 'task/form-invalid', expect.stringContaining('tasks show')]);
  expect(issues?.map(({ path, message }) => `${path} ${message}`).toSorted()).toEqual([
    'form.count must be integer',
    'form.more is not asked for',
    'form.risk must be "low" or "high"',
  ]);
  expect(await codeOf(await decide(taskId, { decision: 'approve' }))).toEqual([422, 'task/form-invalid']);
  const large = { risk: 'low', count: 1, more: 'x'.repeat(9_000) };
  expect(await codeOf(await decide(taskId, { decision: 'approve', form: large }))).toEqual([422, 'task/form-invalid']);
  expect(await api.parts.runs.eventsAfter(runId, 0)).toEqual(before);
  const { task } = await decided(await decide(taskId, { decision: 'approve', form: { risk: 'low' } }));
  expect(task.decisions[0]?.form).toEqual({ risk: 'low', count: 2 });
  // The default written out is the same answer.
  await decided(await decide(taskId, { decision: 'approve', form: { count: 2, risk: 'low' }, revision: 1 }));
});

test('D-09, D-10: a push back has a form of its own, which needs what it requires; the other holds for approvals', async () => {
  const pushBackForm = { type: 'object', properties: { section: { type: 'string' } }, required: ['section'] };
  const { runId, taskId } = await asking({ person: { form, pushBackForm } });
  expect(await show(taskId)).toMatchObject({ form, pushBackForm });
  const before = await api.parts.runs.eventsAfter(runId, 0);
  for (const given of [undefined, {}, { section: 1 }]) {
    const refused = await decide(taskId, { decision: 'push_back', message: 'Again.', ...(given && { form: given }) });
    const { status, code, issues } = await bodyOf(refused, Problem);
    expect([status, code, issues?.length]).toEqual([422, 'task/form-invalid', 1]);
  }
  expect(await api.parts.runs.eventsAfter(runId, 0)).toEqual(before);
  expect(await codeOf(await decide(taskId, { decision: 'approve', form: { section: 'intro' } }))).toEqual([
    422,
    'task/form-invalid',
  ]);
  const { task } = await decided(await decide(taskId, { decision: 'push_back', form: { section: 'intro' } }));
  expect(task.revision > 1 || task.decisions[0]?.form?.['section'] === 'intro').toBe(true);
});

test('D2: a push back whose answer was lost is sent again after the task was asked again, and counts once', async () => {
  const { taskId, runId } = await asking({ person: { form } });
  const body = { decision: 'push_back', message: 'Again.', form: { risk: 'high' }, decisionId: `${taskId}-lost` };
  await decided(await decide(taskId, body));
  await until(runId, async () => (await revisionOf(taskId)) === 2);
  for (const again of [body, { ...body, revision: 1 }, { ...body, form: { risk: 'high', count: 2 } }]) {
    expect((await decided(await decide(taskId, again))).task).toMatchObject({ revision: 2, decisions: [] });
  }
  for (const other of [
    { ...body, revision: 2 },
    { ...body, message: 'Other.' },
    { ...body, decision: 'reject' },
  ]) {
    expect(await codeOf(await decide(taskId, other))).toEqual([409, 'run/message-conflict']);
  }
  const counted = (await api.parts.runs.eventsAfter(runId, 0)).filter(({ event }) => event.type === 'task.decided');
  expect(counted).toHaveLength(1);
});

test('D3, D6, D-09: pushed back, it is asked again; the older revision is refused, and the work is told', async () => {
  const { taskId, runId } = await asking({
    work: 'cat plan.md; printf %s {{feedback}}',
    person: { form, show: [{ kind: 'output', step: 'work' }] },
  });
  const body = { decision: 'push_back', message: 'Name the flag.\n\nAlways.', to: 'work', form: { risk: 'high' } };
  const { task } = await decided(await decide(taskId, { ...body, revision: 1 }, 'ada'));
  if (task.revision === 1) {
    expect(task.decisions).toMatchObject([{ by: 'ada', comment: 'Name the flag. Always.', to: 'work' }]);
    const whole = await (await api.call(task.decisions[0]?.text.url ?? '')).text();
    expect(whole).toBe('Name the flag.\n\nAlways.\n\n- risk: high\n- count: 2');
  }
  await until(runId, async () => (await revisionOf(taskId)) === 2);
  const stale = await decide(taskId, { decision: 'approve', form: { risk: 'low' }, revision: 1 });
  expect(await codeOf(stale)).toEqual([409, 'task/reopened']);
  expect(await codeOf(await decide(taskId, { decision: 'approve', revision: 7 }))).toEqual([409, 'task/reopened']);
  const again = await show(taskId);
  expect(again).toMatchObject({ revision: 2, pass: 2, state: 'open', decisions: [] });
  expect(await (await api.call(again.shown[0]?.url ?? '')).text()).toMatch(/Name the flag\.\n\nAlways\.[^]*risk: high/);
  const nowhere = await decide(taskId, { decision: 'push_back', to: 'nowhere' });
  expect(await codeOf(nowhere)).toEqual([409, 'task/no-way-back']);
  const wrong = await decide(taskId, { decision: 'reject', to: 'work' });
  expect(await codeOf(wrong)).toEqual([400, 'http/bad-request']);
});

test('D5, S-06: who may decide, how many and not the author are asked before anything is stored', async () => {
  const person = { who: ['team:web'], quorum: 2, notAuthor: true };
  const { taskId } = await asking({ person, createdBy: 'carol' });
  const approve = (name: string, more: object = {}) => decide(taskId, { decision: 'approve', ...more }, name);
  expect(await codeOf(await approve('bob'))).toEqual([403, 'task/not-allowed']);
  expect(await codeOf(await approve('carol'))).toEqual([403, 'task/author']);
  const { rows } = await api.database.query({
    text: `select * from messages where body ->> 'task' = $1`,
    values: [taskId],
  });
  expect(rows).toEqual([]);
  expect((await decided(await approve('ada'))).task).toMatchObject({ state: 'open', approvals: 1, quorum: 2 });
  expect(await codeOf(await approve('ada', { message: 'More.' }))).toEqual([409, 'task/already-answered']);
  expect((await decided(await approve('owner'))).task).toMatchObject({ state: 'decided', approvals: 2 });
});

test('D6: GET and HEAD never decide, whatever they name', async () => {
  const { taskId } = await asking();
  const path = `/v1/tasks/${taskId}`;
  const before = await show(taskId);
  for (const suffix of ['', '/decisions', '/decisions?decision=approve', '?decision=approve', '/approve']) {
    for (const method of ['GET', 'HEAD']) {
      for (const _time of [1, 2]) expect((await api.call(`${path}${suffix}`, { method })).status).toBeLessThan(500);
    }
  }
  const { rows } = await api.database.query({
    text: `select * from messages where body ->> 'task' = $1`,
    values: [taskId],
  });
  expect([rows, await show(taskId)]).toEqual([[], before]);
  expect(await codeOf(await api.call(`${path}/decisions`))).toEqual([404, 'http/not-found']);
});

test('R033: whoever opens what a notification links to has decided nothing; then the first decision counts (D6)', async () => {
  const { runId, taskId } = await asking();
  const [events, run] = await Promise.all([api.parts.runs.eventsAfter(runId, 0), api.parts.runs.find(runId)]);
  const told = notificationsOf({ runId, events, summary: run?.summary ?? expect.fail('no run') });
  const links = told.map(({ facts }) => new URL(notificationUrl('http://localhost', runId, facts)));
  expect(links.map(({ pathname }) => pathname)).toContain(`/v1/tasks/${taskId}`);
  for (const { pathname, search } of [...links, ...links]) {
    for (const method of ['HEAD', 'GET']) {
      expect((await api.call(`${pathname}${search}`, { method })).status).toBe(200);
    }
  }
  expect(await api.parts.runs.eventsAfter(runId, 0)).toEqual(events);
  const body = { decision: 'approve', revision: 1, decisionId: `${taskId}-r033` };
  await decided(await decide(taskId, body));
  await decided(await decide(taskId, body));
  const opposite = await decide(taskId, { decision: 'reject', revision: 1 });
  expect(await codeOf(opposite)).toEqual([409, 'task/decided']);
  expect((await show(taskId)).decisions).toHaveLength(1);
});

test('a task whose run was ended is gone', async () => {
  const { runId, taskId } = await asking();
  await api.call(`/v1/runs/${runId}/cancel`, { body: {} });
  await until(runId, async () => (await show(taskId)).state === 'closed');
  expect((await show(taskId)).closed).toMatch(/\.$/);
  await until(runId, async () => (await stopOf(runId)) === 'cancelled');
  expect(await codeOf(await decide(taskId, { decision: 'approve' }))).toEqual([410, 'task/closed']);
});

test('what is no decision is a bad request', async () => {
  const { taskId } = await asking();
  for (const body of [{}, { decision: 'yes' }, { decision: 'approve', revision: 0 }, { decision: 'approve', x: 1 }]) {
    expect(await codeOf(await decide(taskId, body))).toEqual([400, 'http/bad-request']);
  }
  const nul = await decide(taskId, { decision: 'approve', decisionId: 'a\u0000b' });
  expect(await codeOf(nul)).toEqual([400, 'http/bad-request']);
  expect(await codeOf(await api.call('/v1/tasks?state=gone'))).toEqual([400, 'http/bad-request']);
});

test('A6, D2: a form that no answer could be held against is refused before anything runs', async () => {
  const form = { type: 'object', properties: { risk: { $ref: '#/$defs/gone' } } };
  const definition = {
    setpoint: 1,
    name: 'x',
    steps: { agree: { person: { ask: 'Fine?', form } } },
    limits: { time: '1h' },
  };
  const refused = await bodyOf(api.call('/v1/plans', { body: { definition, overrides: { repo } } }), Problem);
  expect([refused.status, refused.issues?.map(({ path, code }) => [path, code])]).toEqual([
    422,
    [['steps.agree.person.form', 'person/bad-form']],
  ]);
});

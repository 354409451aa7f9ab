import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';
import { expand } from '#activities/calls/expand.ts';
import { startChild } from '#activities/calls/start-child.ts';
import { seatId } from '#core/contract/seat-name.ts';
import { sendRunMessage } from '#infra/temporal/run-messages.ts';
import { sweepOnce } from '#infra/temporal/sweeper.ts';
import { until } from '../faults/until.ts';
import { bundleSources } from '../workflow/bundle.ts';
import { plan, step } from '../fakes/plans.ts';
import { type TestRuns, withRuns } from './with-runs.ts';

let runs: TestRuns;
beforeAll(async () => {
  runs = await withRuns(await bundleSources());
});
afterAll(() => runs?.close());

const last = <T extends RunEvent['type']>(type: T, events: RunEvent[]): RunEventOf<T> | undefined =>
  events.findLast((event): event is RunEventOf<T> => event.type === type);

/** Waits in its place until the test makes the file. */
const hold = (name: string) => `until [ -e "$PLACE/${name}" ]; do sleep 0.02; done`;
const letGo = (name: string) => writeFileSync(join(runs.place, name), '');

test('a child run works in the repository at the snapshot of its parent, and its outputs reach the next step', async () => {
  const runId = await runs.start(`
setpoint: 1
project: web
labels: [feature]
inputs: { who: { type: string, default: you } }
definitions:
  greet:
    inputs: { who: { type: string, required: true } }
    steps:
      look: { run: "cat made" }
      say: { run: "echo hello {{inputs.who}}", after: look }
    outputs: { seen: steps.look.output }
steps:
  make: { run: "echo by the parent > made" }
  call: { call: { definition: greet, inputs: { who: "{{inputs.who}}" } }, after: make }
  tell: { run: "echo got {{steps.call.output}} and {{steps.call.outputs.seen}}", after: call }
limits: { time: 10m }
deliver: none
`);
  const ended = await runs.ended(runId);
  expect(ended.summary.stop).toMatchObject({ kind: 'succeeded' });
  expect((await runs.outputOf(runId, 'tell')).replaceAll(/\s+/g, ' ')).toBe('got hello you and by the parent ');
  const [child, ...others] = await runs.childrenOf(runId);
  expect(others).toEqual([]);
  expect(child).toMatchObject({
    name: 'greet',
    project: 'web',
    labels: ['feature'],
    createdBy: 'ada',
    inputs: { who: 'you' },
    parent: { runId, step: 'call', pass: 1, index: 0, queue: 'setpoint-host-one' },
    plan: { workspace: { repo: runs.repo }, deliver: { mode: 'none' }, limits: { timeSeconds: expect.any(Number) } },
  });
  expect(child?.plan.limits.timeSeconds).toBeLessThanOrEqual(600);
});

test('a child that fails is feedback: the parent loops, and the next child is another run', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions:
  check:
    steps: { look: { run: "echo I looked; test -e mended" } }
steps:
  work:
    agent: { name: scripted, passes: ["true", "touch mended; cat $SETPOINT_FEEDBACK_FILE 2>/dev/null; true"] }
    prompt: "Mend it. {{feedback}}"
  call: { call: check, after: work, loop: { to: work, limit: 2 } }
limits: { time: 10m }
deliver: none
`);
  const ended = await runs.ended(runId);
  expect(ended.summary.stop).toMatchObject({ kind: 'succeeded' });
  const children = await runs.childrenOf(runId);
  expect(children.map(({ parent, summary }) => [parent?.pass, summary.stop?.kind])).toEqual([
    [1, 'failed'],
    [2, 'succeeded'],
  ]);
  const told = (await runs.events(runId)).find(
    (event) => event.type === 'attempt.finished' && event.step === 'call' && event.pass === 1,
  );
  if (told?.type !== 'attempt.finished' || told.result.feedback === undefined) throw new TypeError('nothing was told');
  const feedback = await runs.host.artifacts.readText(told.result.feedback.sha256);
  expect(feedback).toContain(`The child run ${children[0]?.runId} ended: failed. Step "look" failed`);
  expect(feedback).toContain('I looked');
});

test('of a list at most `max` children are alive, each with its item, and their outputs are one JSON array', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions:
  one:
    inputs: { name: { type: string, required: true }, at: { type: number, required: true } }
    steps: { say: { run: "echo {{inputs.at}} {{inputs.name}}" } }
steps:
  list: { run: "printf '%s\\\\n' a b c 'd e' f" }
  all:
    call: { definition: one, inputs: { name: "{{item}}", at: "{{index}}" } }
    for: { each: "{{steps.list.output}}", max: 2 }
    after: list
limits: { time: 10m }
deliver: none
`);
  const ended = await runs.ended(runId);
  expect(ended.summary.stop).toMatchObject({ kind: 'succeeded' });
  const children = await runs.childrenOf(runId);
  expect(JSON.parse(await runs.outputOf(runId, 'all'))).toEqual(
    ['a', 'b', 'c', 'd e', 'f'].map((item, index) => {
      return { item, runId: children[index]?.runId, stop: 'succeeded', output: `${index} ${item}\n` };
    }),
  );
  let alive = 0;
  let most = 0;
  for (const event of await runs.events(runId)) {
    if (event.type === 'child.starting') alive += 1;
    if (event.type === 'child.settled') alive -= 1;
    most = Math.max(most, alive);
  }
  expect(most).toBe(2);
});

test('an empty list starts nothing and passes', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions: { one: { steps: { say: { run: "true" } } } }
steps:
  all: { call: one, for: { each: "[]", max: 2 } }
limits: { time: 10m }
deliver: none
`);
  expect((await runs.ended(runId)).summary.stop).toMatchObject({ kind: 'succeeded' });
  expect(await runs.outputOf(runId, 'all')).toBe('[]\n');
});

test('a list that is none stops the run with its reason', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions: { one: { steps: { say: { run: "true" } } } }
steps:
  list: { run: "echo '[1, [2]]'" }
  all: { call: one, for: { each: "{{steps.list.output}}", max: 2 }, after: list }
limits: { time: 10m }
deliver: none
`);
  const ended = await runs.ended(runId);
  expect(ended.summary.stop).toMatchObject({ kind: 'failed_to_start', code: 'call/bad-list' });
  expect(ended.summary.stop?.reason).toContain('item 2 is a list');
});

test('a long list is read whole, not by its end', async () => {
  const items = Array.from({ length: 900 }, (_, index) => `item ${index} ${'x'.repeat(40)}`);
  const { sha256, bytes } = await runs.host.artifacts.putText(JSON.stringify(items));
  const scope = { inputs: {}, outputs: { list: { sha256, bytes, excerpt: '' } }, feedback: [], iteration: 0 };
  const input = {
    runId: 'r',
    step: 'all',
    list: '{{steps.list.output}}',
    scope: { ...scope, run: { id: 'r', name: 'n' } },
  };
  expect(await expand({ artifacts: runs.host.artifacts }, input)).toEqual(items);
});

test('inputs that the child does not take stop the run with their reason', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions:
  one: { inputs: { count: { type: number, required: true } }, steps: { say: { run: "true" } } }
steps:
  word: { run: "echo seven" }
  call: { call: { definition: one, inputs: { count: "{{steps.word.output}}" } }, after: word }
limits: { time: 10m }
deliver: none
`);
  const ended = await runs.ended(runId);
  expect(ended.summary.stop).toMatchObject({ kind: 'failed_to_start', code: 'call/inputs-invalid' });
  expect(ended.summary.stop?.reason).toContain('takes a number, not `seven');
});

test('decision 7: two workers that start the same child start one, also when less is left by then', async () => {
  const runId = await runs.start('setpoint: 1\nsteps: { a: { run: "true" } }\nlimits: { time: 10m }\ndeliver: none\n');
  await runs.ended(runId);
  const input = {
    parent: { runId, step: 'call', pass: 1, index: 0 },
    plan: plan([step('work')], { name: 'child' }),
    limits: { timeSeconds: 100, spendUsd: 2 },
    inputs: {},
    scope: { inputs: {}, outputs: {}, feedback: [], iteration: 0, run: { id: runId, name: 'n' } },
    workspace: { repo: runs.repo, path: runs.repo },
  };
  const deps = { messaging: runs.messaging, artifacts: runs.host.artifacts };
  const [one, two] = await Promise.all([startChild(deps, input), startChild(deps, input)]);
  expect(await startChild(deps, { ...input, limits: { timeSeconds: 50, spendUsd: 1 } })).toEqual(one);
  expect(two).toEqual(one);
  expect((await runs.find(one.runId)).plan.limits).toMatchObject({ timeSeconds: 100, spendUsd: 2 });
  const again = await startChild(deps, { ...input, parent: { ...input.parent, attempt: 2 } });
  expect(again).not.toEqual(one);
  await Promise.all([one, again].map((child) => runs.ended(child.runId)));
});

test('E3: a parent that is cancelled cancels its children and ends after them', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions: { long: { steps: { wait: { run: '${hold('never')}' } } } }
steps:
  all: { call: long, for: { each: '["a", "b"]', max: 2 } }
limits: { time: 10m }
deliver: none
`);
  await runs.seen(runId, 'both children run', (events) =>
    events.filter(({ type }) => type === 'child.started').length === 2 ? true : undefined,
  );
  const children = await runs.childrenOf(runId);
  await Promise.all(
    children.map((child) => runs.seen(child.runId, 'it works', (events) => last('attempt.started', events))),
  );
  const cancel = { kind: 'cancel', id: `cancel-${runId}`, reason: 'enough', by: 'ada' } as const;
  expect(await sendRunMessage(runs.messaging, runId, cancel)).toEqual({ kind: 'applied' });
  const ended = await runs.ended(runId);
  expect(ended.summary.stop).toMatchObject({ kind: 'cancelled' });
  const stops = await Promise.all(children.map((child) => runs.find(child.runId)));
  expect(stops.map(({ summary }) => summary.stop?.kind)).toEqual(['cancelled', 'cancelled']);
  const events = await runs.events(runId);
  expect(events.filter(({ type }) => type === 'child.settled')).toHaveLength(2);
  expect(events.at(-1)?.type).toBe('run.stopped');
});

test('C3: a loop that fires past a running call cancels its child, whose end changes nothing', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions: { slow: { steps: { wait: { run: 'if [ -e "$PLACE/quick" ]; then exit 0; fi; touch "$PLACE/slow"; ${hold('never')}' } } } }
steps:
  plan: { run: "true" }
  call: { call: slow, after: plan }
  check:
    run: 'if [ -e "$PLACE/quick" ]; then exit 0; fi; ${hold('fire')}; touch "$PLACE/quick"; exit 1'
    after: plan
    readOnly: true
    loop: { to: plan, limit: 2 }
limits: { time: 10m }
deliver: none
`);
  await until('the child works', () => existsSync(join(runs.place, 'slow')) || undefined);
  letGo('fire');
  const ended = await runs.ended(runId);
  expect(ended.summary.stop).toMatchObject({ kind: 'succeeded' });
  const children = await runs.childrenOf(runId);
  expect(children.map(({ parent, summary }) => [parent?.pass, summary.stop?.kind])).toEqual([
    [1, 'cancelled'],
    [2, 'succeeded'],
  ]);
});

test('decision 13: a parent that is seated anew while its child runs goes on with that child', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions: { held: { steps: { wait: { run: '${hold('seated')}; echo done' } } } }
steps:
  call: { call: held }
limits: { time: 10m }
deliver: none
`);
  await runs.seen(runId, 'the child was started', (events) => last('child.started', events));
  await runs.terminate(seatId(runId, 1));
  await runs.database.query({ text: `update runs set updated_at = now() - interval '1 m'`, values: [] });
  await until('it is seated anew', async () => {
    const { seated } = await sweepOnce(runs.messaging);
    return seated.includes(runId) || undefined;
  });
  letGo('seated');
  expect((await runs.ended(runId)).summary.stop).toMatchObject({ kind: 'succeeded' });
  expect((await runs.find(runId)).seat).toBe(2);
  expect(await runs.childrenOf(runId)).toHaveLength(1);
});

test('E10: how long its children worked is in the time of the parent, and what that has left is their limit', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions:
  quick: { steps: { wait: { run: "sleep 0.5" } } }
  endless: { steps: { wait: { run: '${hold('never')}' } } }
steps:
  one: { call: quick }
  two: { call: endless, after: one }
limits: { time: 2s }
deliver: none
`);
  const ended = await runs.ended(runId);
  const [quick, endless] = await runs.childrenOf(runId);
  expect(quick?.plan.limits.timeSeconds).toBe(2);
  expect(endless?.plan.limits.timeSeconds).toBeGreaterThan(0.9);
  expect(endless?.plan.limits.timeSeconds).toBeLessThan(1.6);
  expect(endless?.summary.stop?.kind).toBe('timed_out');
  expect(ended.summary.stop?.kind).toBe('timed_out');
});

test('E7: what its children spent is in the spend of the parent, and what that has left is their limit', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions: { ask: { steps: { work: { agent: claude, prompt: Do it. } } } }
steps:
  one: { call: ask }
  two: { call: ask, after: one }
limits: { time: 10m, spend: 1 USD }
deliver: none
`);
  const ended = await runs.ended(runId);
  expect(ended.summary.stop).toMatchObject({ kind: 'succeeded' });
  const children = await runs.childrenOf(runId);
  expect(children.map(({ summary, plan: { limits } }) => [summary.spendUsd, limits.spendUsd])).toEqual([
    [0.01016, 1],
    [0.01016, 0.98984],
  ]);
  expect(ended.summary.spendUsd).toBeCloseTo(0.02032);
  expect(await runs.outputOf(runId, 'one')).toContain('Done: wrote hello.txt.');
});

test('the parent goes on at once when a child has ended, without waiting for a sweep', async () => {
  const runId = await runs.start(`
setpoint: 1
definitions: { one: { steps: { say: { run: "true" } } } }
steps:
  all: { call: one, for: { each: "[1, 2, 3, 4]", max: 1 } }
limits: { time: 10m }
deliver: none
`);
  await runs.ended(runId);
  const events = await runs.events(runId);
  const waits: number[] = [];
  for (const child of await runs.childrenOf(runId)) {
    const stopped = last('run.stopped', await runs.events(child.runId));
    const settled = events.findIndex((event) => event.type === 'child.settled' && event.runId === child.runId);
    const goesOn = events[settled + 1];
    waits.push((goesOn?.at ?? Infinity) - (stopped?.at ?? 0));
  }
  expect(waits).toHaveLength(4);
  // A sweep would take up to two seconds; measured are 20 to 60 ms, and a busy machine is given more.
  expect(waits.toSorted((a, b) => a - b)[1]).toBeLessThan(300);
});

test('D-23, F2: a run that is delivered keeps its files first, the next run begins with them, and neither delivers them', async () => {
  const source = `
setpoint: 1
name: Counting
keepBetweenRuns: ['.state/*']
steps:
  count: { run: 'mkdir -p .state; cat .state/n; echo x >> .state/n; echo made > made' }
limits: { time: 10m }
deliver: { mode: branch, branch: 'counted/{{run.id}}' }
`;
  const first = await runs.ended(await runs.start(source));
  expect(first.summary.stop).toMatchObject({ kind: 'succeeded' });
  const second = await runs.ended(await runs.start(source));
  expect((await runs.outputOf(second.runId, 'count')).trim()).toBe('x');
  for (const { runId } of [first, second]) {
    const listed = execFileSync('git', ['-C', runs.repo, 'ls-tree', '-r', '--name-only', `counted/${runId}`]);
    expect(listed.toString()).toBe('file\nmade\n');
    const types = (await runs.events(runId)).map(({ type }) => type);
    expect(types.slice(-5)).toEqual([
      'files.keeping',
      'files.kept',
      'delivery.started',
      'delivery.finished',
      'run.stopped',
    ]);
  }
});

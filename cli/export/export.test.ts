import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { Plan } from '#core/plan/plan.ts';
import type { StoredEvent } from '#core/run/event.ts';

import { exportedFiles } from '#cli/export/export-files.ts';
import type { FinalReport } from '#cli/export/report.ts';
import { scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, problem, type ScriptedServer, startScriptedServer, text } from '#cli/testing/scripted-server.ts';
import { asked, decided, personPlan } from '#cli/testing/sample-task.ts';
import { runId, samplePlan, shown, succeeded, twoPasses } from '#cli/testing/sample-run.ts';

const sha256 = 'f'.repeat(64);
const files = exportedFiles.toSorted();

let cwd: string;
let folder: string;
let server: ScriptedServer;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-export-'));
  folder = join(cwd, 'deep', 'report');
  server = await startScriptedServer();
  server.on(`GET /v1/runs/${runId}`, json(shown(succeeded)));
  answerEvents(withFeedback);
  server.on(`GET /v1/artifacts/${sha256}`, text('the whole text\n```\nwith a fence'));
});

afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

/** The failing verdict of the first pass routes a text. */
const withFeedback: StoredEvent[] = twoPasses.map(({ seq, event }) => {
  if (event.type !== 'check.judged' || event.verdict.kind === 'pass') return { seq, event };
  const feedback = { sha256, bytes: 14, excerpt: 'only its head' };
  const evidence = { ...event.verdict.evidence, feedback, commit: 'a'.repeat(40), tree: 'b'.repeat(40), digest: 'd1' };
  return { seq, event: { ...event, verdict: { ...event.verdict, evidence } } };
});

function answerEvents(events: readonly StoredEvent[]): void {
  server.on(`GET /v1/runs/${runId}/events`, json({ events, ended: true }));
}

const show = (...flags: string[]) =>
  scriptedContext({ cwd, environment: { url: server.url } }).run('show', runId, '--export', folder, ...flags);
const read = (name: string) => readFile(join(folder, name), 'utf8');

test('T-28: the run is written as files into a folder that is made for them, and again over its own', async () => {
  for (const _ of ['first', 'again']) {
    const { code, err } = await show();
    expect([code, err]).toEqual([
      0,
      [`Written to ${folder}: state.json, plan.json, events.jsonl, feedback.md, final-report.json`],
    ]);
    expect((await readdir(folder)).toSorted()).toEqual(files);
  }
  expect(JSON.parse(await read('state.json'))).toEqual(shown(succeeded));
  expect(Plan.parse(JSON.parse(await read('plan.json')))).toEqual(samplePlan);
  const lines = (await read('events.jsonl')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(withFeedback);
});

test('T-28: feedback.md is what each pass was given, stamped, with its whole text', async () => {
  await show();
  expect(await read('feedback.md')).toBe(
    [
      '# work, pass 2 (2030-03-17T17:46:40.000Z)',
      '',
      '## Feedback',
      '',
      'The pass before this one did not pass. What was found:',
      '',
      '### check "tests" of step "work", in pass 1: fail',
      '',
      '`1 of 2 tests failed`',
      '',
      '````',
      'the whole text',
      '```',
      'with a fence',
      '````',
      '',
    ].join('\n'),
  );
});

test('T-28: the excerpt stands in for a text that is not kept any more', async () => {
  server.on(`GET /v1/artifacts/${sha256}`, problem(404, 'store/artifact-missing', 'gone'));
  expect((await show()).code).toBe(0);
  expect(await read('feedback.md')).toContain('```\nonly its head\n```');
});

test('T-28: what the last pass found is told although no pass was given it, and no feedback is said as such', async () => {
  answerEvents([
    ...withFeedback.slice(0, 8),
    {
      seq: 9,
      event: { type: 'step.failed', at: 1, step: 'work', pass: 1, reason: 'r', continued: false, stop: 'failed' },
    },
  ]);
  await show();
  expect(await read('feedback.md')).toMatch(/^# work: what its last pass found /);
  answerEvents(twoPasses.slice(0, 5));
  await show();
  expect(await read('feedback.md')).toBe('No pass was given feedback.\n');
});

test('T-28: final-report.json tells outcome, passes, verdicts with their evidence, spend and delivery', async () => {
  await show();
  const report = JSON.parse(await read('final-report.json')) as FinalReport;
  expect(report).toMatchObject({
    outcome: { runId, status: 'ended', stop: 'succeeded', passes: 2, delivery: 'branch' },
    run: { runId, name: 'Green tests', project: 'default' },
    stop: { kind: 'succeeded', reason: 'every check passed' },
    startedAt: '2030-03-17T17:46:40.000Z',
    endedAt: '2030-03-17T17:46:40.000Z',
    durations: { wholeMs: 0, activeMs: 0 },
    spend: { usd: 0.25, estimated: false, inputTokens: 20, outputTokens: 10 },
    base: { commit: '0'.repeat(40) },
    snapshot: { commit: '2'.repeat(40) },
    delivery: { mode: 'branch', nothingToDeliver: false },
  });
  const [work] = report.steps;
  expect(work).toMatchObject({ step: 'work', outcome: 'succeeded', loops: 1 });
  expect(work?.passes.map(({ pass, attempts }) => [pass, attempts.length])).toEqual([
    [1, 1],
    [2, 1],
  ]);
  expect(work?.passes[0]?.attempts[0]).toMatchObject({ end: { kind: 'ok' }, snapshot: { tree: '1'.repeat(40) } });
  expect(work?.passes[0]?.verdicts).toEqual([
    {
      step: 'work',
      check: 'tests',
      verdict: 'fail',
      evidence: {
        summary: '1 of 2 tests failed',
        exitCode: null,
        commit: 'a'.repeat(40),
        tree: 'b'.repeat(40),
        digest: 'd1',
        output: null,
        durationMs: 5,
      },
      findings: [],
    },
  ]);
});

test('T-28: the active time of a run that was retried is all of it (E8)', async () => {
  const work = { step: 'work', pass: 1 } as const;
  const lost = { ...work, fault: { code: 'host/crashed', message: 'm' } };
  const events: StoredEvent['event'][] = [
    { type: 'run.started', at: 1_000, runId },
    { type: 'checks.started', at: 2_000, ...work, round: 1 },
    { type: 'checks.interrupted', at: 5_000, ...lost },
    { type: 'run.stopped', at: 6_000, stop: { kind: 'failed', reason: 'r' } },
    { type: 'run.retried', at: 9_000, messageId: 'm' },
    { type: 'checks.started', at: 10_000, ...work, round: 2 },
    { type: 'checks.interrupted', at: 11_000, ...lost },
  ];
  answerEvents(events.map((event, index) => ({ seq: index + 1, event })));
  await show();
  const report = JSON.parse(await read('final-report.json')) as FinalReport;
  expect(report.durations).toEqual({ wholeMs: 10_000, activeMs: 4_000 });
});

test('T-28: the report tells who decided what, and of which child runs the work was made', async () => {
  server.on(`GET /v1/runs/${runId}`, json({ ...shown(succeeded), plan: personPlan }));
  const child = { at: 1, step: 'work', pass: 2, index: 0, runId: 'run_child' } as const;
  const events = [
    ...asked.map(({ event }) => event),
    decided('approve', { comment: 'ok' }),
    { type: 'child.started', ...child } as const,
  ];
  answerEvents(events.map((event, index) => ({ seq: index + 1, event })));
  await show();
  const report = JSON.parse(await read('final-report.json')) as FinalReport;
  expect(report.decisions).toEqual([
    {
      at: '2030-03-17T17:47:40.000Z',
      step: 'ready',
      pass: 1,
      task: 'task_01hsample.ready',
      decision: 'approve',
      by: 'anna',
      comment: 'ok',
      form: null,
      to: null,
      final: true,
    },
  ]);
  expect(report.children).toEqual([{ step: 'work', pass: 2, index: 0, runId: 'run_child', stop: null }]);
  expect(report.steps.map(({ step, passes }) => [step, passes.length])).toEqual([
    ['work', 2],
    ['ready', 1],
  ]);
});

test.each([
  ['of another run', 'state.json', JSON.stringify({ runId: 'run_other' }), 'holds the files of run_other: state.json'],
  ['that no state.json claims', 'events.jsonl', '', 'holds files that may not be of this run: events.jsonl'],
  ['with a state.json that is no JSON', 'state.json', '{', 'holds files that may not be of this run: state.json'],
])('T-28: files %s are refused with the remedy, exit 2, and replaced with --force', async (_, name, before, cause) => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), before);
  const { code, err } = await show();
  expect(code).toBe(2);
  expect(err).toEqual([`setpoint: ${folder} ${cause}`, '  remedy: name another folder, or replace them with --force']);
  expect([await readdir(folder), await read(name)]).toEqual([[name], before]);
  expect((await show('--force')).code).toBe(0);
  expect((await readdir(folder)).toSorted()).toEqual(files);
});

test('T-28: a folder that cannot be made is told, exit 2, and leaves nothing', async () => {
  await writeFile(join(cwd, 'deep'), 'a file');
  const { code, err } = await show();
  expect(code).toBe(2);
  expect(err[0]).toContain(`${folder} cannot be written`);
  expect(await readdir(cwd)).toEqual(['deep']);
});

test('T-28: --force without --export is wrong usage', async () => {
  const { code } = await scriptedContext({ cwd, environment: { url: server.url } }).run('show', runId, '--force');
  expect(code).toBe(2);
});

test('T-28: a write that fails in the middle leaves whole files only, and the next export mends it', async () => {
  await mkdir(join(folder, 'feedback.md'), { recursive: true });
  const { code, err } = await show('--force');
  expect([code, err[0]]).toEqual([2, expect.stringContaining('cannot be written')]);
  expect((await readdir(folder)).toSorted()).toEqual(['events.jsonl', 'feedback.md', 'plan.json', 'state.json']);
  await rm(join(folder, 'feedback.md'), { recursive: true });
  expect((await show()).code).toBe(0);
});

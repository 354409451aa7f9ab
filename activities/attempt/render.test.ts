import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { renderedPrompt, renderedText } from '#activities/attempt/render.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { scriptedAgent, step } from '../../test/fakes/plans.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'setpoint-render-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function prompt(feedback: FeedbackEntry[]): Promise<string> {
  const artifacts = openArtifactStore(join(root, 'artifacts'));
  const scope = { inputs: {}, outputs: {}, feedback, iteration: 0, run: { id: 'run', name: 'a run' } };
  const brief = { pass: 2, passLimit: 4, checks: [] };
  const work = scriptedAgent(['true'], 'Mend it.');
  return renderedPrompt({ artifacts }, { step: step('work', { work }), scope, brief }, join(root, 'feedback'));
}

async function failed(from: { step: string; check?: string }, whole: string): Promise<FeedbackEntry> {
  const { sha256, bytes } = await openArtifactStore(join(root, 'artifacts')).putText(whole);
  const ref = { sha256, bytes, excerpt: '' };
  return { ...from, pass: 1, verdict: 'fail', summary: 'exit 1', whole: ref, stale: false, baseline: false };
}

test('C9: whole outputs lie in the feedback folder, each under a name of its own, and the prompt tells where', async () => {
  const long = (word: string) => `${word}\n`.repeat(20_000);
  const text = await prompt([
    await failed({ step: 'a-b' }, long('one')),
    await failed({ step: 'a', check: 'b' }, long('two')),
    await failed({ step: 'a', check: 'attempt' }, long('three')),
  ]);
  const paths = [...text.matchAll(/The whole output is in (.+)\.$/gm)].map(([, path = '']) => path);
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['one', 'two', 'three'].map(long));
  expect(readFileSync(join(root, 'feedback/feedback.md'), 'utf8')).toContain('## Feedback');
});

test('C9: a new pass finds nothing of the pass before', async () => {
  await prompt([await failed({ step: 'a' }, 'x'.repeat(30_000))]);
  expect(existsSync(join(root, 'feedback/feedback.md'))).toBe(true);
  await prompt([]);
  expect(readdirSync(join(root, 'feedback'))).toEqual([]);
});

test('what a child run gave by name, and the item that the next one is for, reach a text', async () => {
  const artifacts = openArtifactStore(join(root, 'artifacts'));
  const put = async (text: string) => ({ ...(await artifacts.putText(text)), excerpt: '' });
  const outputs = { audit: await put('whole'), 'audit.outputs.report': await put('named {{index}}') };
  const scope = { inputs: {}, outputs, feedback: [], iteration: 0, run: { id: 'run', name: 'a run' } };
  const text = '{{steps.audit.output}} {{steps.audit.outputs.report}} {{item}} {{index}}';
  const item = { text: 'src', index: 2 };
  expect(await renderedText({ artifacts }, text, { ...scope, item })).toBe('whole named {{index}} src 2');
});

test('a named output is a value of the JSON that a step gave; what is not there, or no JSON, is empty', async () => {
  const artifacts = openArtifactStore(join(root, 'artifacts'));
  const put = async (text: string) => ({ ...(await artifacts.putText(text)), excerpt: '' });
  const json = await put('{"score": 7, "who": {"name": "it\'s"}, "list": ["a", {"b": true}], "none": null}');
  const fenced = await put('Here it is:\n```json\n{"score": 8}\n```\nDone.\n');
  const at = (of: typeof json, path: string) => ({ of, path });
  const named = {
    'a.outputs.score': at(json, 'score'),
    'a.outputs.who': at(json, 'who.name'),
    'a.outputs.all': at(json, 'list'),
    'a.outputs.deep': at(json, 'list.1.b'),
    'a.outputs.none': at(json, 'none'),
    'a.outputs.made': at(json, 'constructor.name'),
    'b.outputs.score': at(fenced, 'score'),
    'c.outputs.score': at(await put('no JSON'), 'score'),
  };
  const scope = { inputs: {}, outputs: { a: json }, named, feedback: [], iteration: 0, run: { id: 'run', name: 'x' } };
  const text = (name: string) => renderedText({ artifacts }, `{{steps.${name}}}`, scope);
  expect(await Promise.all(Object.keys(named).map(text))).toEqual([
    '7',
    "it's",
    '["a",{"b":true}]',
    'true',
    '',
    '',
    '8',
    '',
  ]);
});

test('V-20, C-12: what is known of the run, and what a condition found, reach a text', async () => {
  const artifacts = openArtifactStore(join(root, 'artifacts'));
  const put = async (text: string) => ({ ...(await artifacts.putText(text)), excerpt: '' });
  const run = { id: 'run', name: 'x', base: 'main', artifacts: '/data/run', status: 'failed' };
  const condition = {
    stdout: await put('two\nlines\n'),
    stderr: await put(''),
    exitCode: 1,
    actual: 'no',
    expected: 'yes',
    compareSource: 'auto' as const,
  };
  const scope = { inputs: {}, outputs: {}, feedback: [], iteration: 0, run, condition };
  const text =
    '{{run.base}} {{run.artifacts}} {{run.status}} {{condition.stdout}}|{{condition.stderr}}|{{condition.exitCode}} {{condition.actual}} {{condition.expected}} {{condition.compareSource}}';
  expect(await renderedText({ artifacts }, text, scope)).toBe('main /data/run failed two\nlines||1 no yes auto');
  const nothing = { ...scope, run: { id: 'run', name: 'x' } };
  expect(await renderedText({ artifacts }, '{{#if run.status}}ends{{/if}}.', nothing)).toBe('.');
});

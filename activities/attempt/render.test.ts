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

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { heardText } from '#activities/heard.ts';
import { putText } from '#activities/texts.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'setpoint-heard-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const artifacts = openArtifactStore(folder);
const long = `FAILED at the top\n${'and so on\n'.repeat(5_000)}`;

test('A5, V-07: a final answer is judged whole, of a command the end', async () => {
  const output = await putText(artifacts, long, []);
  expect(await heardText(artifacts, output, {})).toBe(long);
  const end = await heardText(artifacts, output, undefined);
  expect([end.length, end.includes('FAILED')]).toEqual([20_000, false]);
});

test('A9, R001: a prompt that is longer than what is judged leaves none of its words behind', async () => {
  const prompt = `${'Read this first.\n'.repeat(2_000)}End with VERDICT: APPROVE or VERDICT: CHANGES_REQUESTED.`;
  const echoed = await putText(artifacts, prompt, []);
  const output = await putText(artifacts, `${prompt}\nI changed one file.\n`.slice(-20_000), []);
  expect((await heardText(artifacts, output, { echoed })).trim()).toBe('I changed one file.');
});

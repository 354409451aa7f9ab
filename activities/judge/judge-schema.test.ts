import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Verdict } from '#core/check/verdict.ts';
import type { JudgeInput } from '#core/contract/activities.ts';
import { judgeSchema } from '#activities/judge/judge-schema.ts';
import { putText } from '#activities/texts.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';

async function judged(said: string, inline: Record<string, unknown>): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-schema-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const artifacts = openArtifactStore(folder);
  const output = await putText(artifacts, said, []);
  const scope = { inputs: {}, outputs: { work: output }, feedback: [], iteration: 0, run: { id: 'r', name: 'r' } };
  const workspace = { path: folder } as JudgeInput['workspace'];
  const check = { kind: 'schema', name: 's', needs: 'always', timeSeconds: 5, of: 'work', schema: { inline } } as const;
  return judgeSchema({ artifacts }, { scope, workspace }, check);
}

test('an output of several lines that is no JSON is told in one line', async () => {
  const { kind, evidence } = await judged('I made\nthe change.\n', {});
  expect(kind).toBe('fail');
  expect(evidence.summary).toMatch(/^the output is no JSON: .+$/);
  expect(evidence.summary).not.toContain('\n');
});

test('D-11: a reply in JSON that does not satisfy its schema fails, and names what is wrong', async () => {
  const schema = { type: 'object', properties: { passed: { type: 'boolean' } }, required: ['passed'] };
  expect((await judged('{"passed": true}\n', schema)).kind).toBe('pass');
  const { kind, evidence } = await judged('{"passed": "yes"}\n', schema);
  expect([kind, evidence.summary]).toEqual(['fail', expect.stringMatching(/does not satisfy the schema: .*passed/)]);
});

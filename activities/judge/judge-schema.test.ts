import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { JudgeInput } from '#core/contract/activities.ts';
import { judgeSchema } from '#activities/judge/judge-schema.ts';
import { putText } from '#activities/texts.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';

test('an output of several lines that is no JSON is told in one line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-schema-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const artifacts = openArtifactStore(folder);
  const output = await putText(artifacts, 'I made\nthe change.\n', []);
  const scope = { inputs: {}, outputs: { work: output }, feedback: [], iteration: 0, run: { id: 'r', name: 'r' } };
  const workspace = { path: folder } as JudgeInput['workspace'];
  const check = {
    kind: 'schema',
    name: 's',
    needs: 'always',
    timeSeconds: 5,
    of: 'work',
    schema: { inline: {} },
  } as const;
  const { kind, evidence } = await judgeSchema({ artifacts }, { scope, workspace }, check);
  expect(kind).toBe('fail');
  expect(evidence.summary).toMatch(/^the output is no JSON: .+$/);
  expect(evidence.summary).not.toContain('\n');
});

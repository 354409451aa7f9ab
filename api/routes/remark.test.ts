import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { remarkOf } from '#api/routes/remark.ts';

const folder = mkdtempSync(join(tmpdir(), 'setpoint-remark-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('A9, D3: a remark is a line in the record, and nothing of it speaks to a terminal', async () => {
  const artifacts = openArtifactStore(folder);
  const remark = await remarkOf(artifacts, 'ada', 'Keep \u001b]0;owned\u0007the\n\u001b[2Jold name.');
  expect(remark).toMatchObject({ by: 'ada', comment: 'Keep the old name.' });
  expect(remark.text.excerpt).toBe('Keep the\nold name.');
  expect(await artifacts.readText(remark.text.sha256)).toBe('Keep the\nold name.');
});

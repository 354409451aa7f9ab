import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { stampsOf, testsOf } from '#activities/judge/command-evidence.ts';

const folder = mkdtempSync(join(tmpdir(), 'setpoint-evidence-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const failedTest = (name: string) => `<testsuite><testcase name="${name}"><failure/></testcase></testsuite>`;

async function told(name: string, files: Readonly<Record<string, string>>) {
  const root = join(folder, name);
  mkdirSync(join(root, 'reports'), { recursive: true });
  const evidence = { tests: 1, file: 'reports' };
  const before = await stampsOf(root, evidence);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, 'reports', file), text);
  const output = { sha256: '', bytes: 0, excerpt: '' };
  return testsOf({ artifacts: openArtifactStore(folder) }, { root, evidence, before, output });
}

test('B11: beside a report that cannot be read no failing test is known by name, so that none in it passes as an old one', async () => {
  const known = { 'a.xml': failedTest('old') };
  expect(await told('all', { ...known, 'b.xml': failedTest('new') })).toMatchObject({ failing: ['old', 'new'] });
  expect(await told('coverage', { ...known, 'coverage.json': '{"total":{}}' })).toMatchObject({ failing: ['old'] });
  const large = failedTest('x'.repeat(8 * 1024 * 1024));
  for (const unread of [{ 'b.xml': large }, { 'b.json': large }, { 'b.xml': '<testsuite' }]) {
    const report = await told(`unread-${Object.values(unread)[0]?.length}-${Object.keys(unread)[0]}`, {
      ...known,
      ...unread,
    });
    expect(report).toMatchObject({ failed: 1 });
    expect(report).not.toHaveProperty('failing');
  }
});

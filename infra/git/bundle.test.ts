import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readBundle, writeBundle } from '#infra/git/bundle.ts';
import { restoreWorktree } from '#infra/git/checkout.ts';
import { createScratchRepository, type ScratchRepository, writeFiles } from '#infra/git/scratch-repository.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { openWorktree } from '#infra/git/worktree.ts';

let scratch: ScratchRepository;
let path: string;
let other: string;
const take = (pass: number) => snapshot({ worktree: path, runId: 'run_1', step: 'work', pass, attempt: 1, keep: [] });

beforeEach(async () => {
  scratch = await createScratchRepository({ 'a.txt': 'a\n' });
  other = join(scratch.folder, 'other-host');
  await scratch.git(['clone', '-q', '--no-local', scratch.root, other]);
  path = join(scratch.folder, 'runs', 'run_1');
  await openWorktree({ repo: scratch.root, path, base: scratch.base, runId: 'run_1' });
});
afterEach(() => scratch.remove());

describe('F2, F3: snapshots travel', () => {
  it('F3, R023: a host that has only the base rebuilds the exact tree from the bundles, after the first host is gone', async () => {
    const first = join(scratch.folder, 'store', '1.bundle');
    const second = join(scratch.folder, 'store', '2.bundle');
    await writeFiles(path, { 'a.txt': 'one\n', 'app/index.js': 'hi\n' });
    await scratch.git(['init', '-q', 'app'], path);
    const one = await take(1);
    expect(await writeBundle({ repo: scratch.root, runId: 'run_1', file: first, has: [scratch.base] })).toMatchObject({
      kind: 'written',
    });
    await writeFiles(path, { 'a.txt': 'two\n' });
    const two = await take(2);
    expect(
      await writeBundle({ repo: scratch.root, runId: 'run_1', file: second, has: [scratch.base, one.commit] }),
    ).toMatchObject({ kind: 'written' });
    expect(await writeBundle({ repo: scratch.root, runId: 'run_1', file: second, has: [two.commit] })).toEqual({
      kind: 'nothing_new',
    });
    await rm(scratch.root, { recursive: true });
    await rm(path, { recursive: true });
    await expect(readBundle({ repo: other, runId: 'run_1', file: second })).rejects.toMatchObject({
      code: 'workspace/base-unknown',
    });
    await readBundle({ repo: other, runId: 'run_1', file: first });
    expect((await readBundle({ repo: other, runId: 'run_1', file: second })).refs).toContain(
      'refs/setpoint/run_1/work/2',
    );
    const there = join(scratch.folder, 'elsewhere');
    expect(
      await restoreWorktree({ repo: other, path: there, base: scratch.base, runId: 'run_1', commit: two.commit }),
    ).toMatchObject({ tree: two.tree });
    expect(await readFile(join(there, 'app/index.js'), 'utf8')).toBe('hi\n');
    expect(await readFile(join(there, 'a.txt'), 'utf8')).toBe('two\n');
  });

  it('F3: a bundle of another run, or no bundle, brings no ref', async () => {
    const file = join(scratch.folder, '1.bundle');
    await writeFiles(path, { 'a.txt': 'one\n' });
    await take(1);
    await writeBundle({ repo: scratch.root, runId: 'run_1', file, has: [scratch.base] });
    expect(await readBundle({ repo: other, runId: 'run_2', file })).toEqual({ refs: [] });
    await expect(readBundle({ repo: other, runId: 'run_1', file: join(path, 'a.txt') })).rejects.toMatchObject({
      code: 'workspace/git-failed',
    });
    expect(await scratch.git(['for-each-ref', 'refs/setpoint'], other)).toBe('');
  });
});

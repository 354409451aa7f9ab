import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { controlDir } from '#infra/git/control.ts';
import { forgetRefs, runRefsOf } from '#infra/git/forget-snapshots.ts';
import { createScratchRepository, type ScratchRepository } from '#infra/git/scratch-repository.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { unsavedWork } from '#infra/git/unsaved.ts';
import { closeWorktree, openWorktree } from '#infra/git/worktree.ts';

let scratch: ScratchRepository;
let path: string;

beforeEach(async () => {
  scratch = await createScratchRepository({ 'a.txt': 'a\n', '.gitignore': 'ignored/\n*.log\n' });
  path = join(scratch.folder, 'runs', 'run_1');
  await openWorktree({ repo: scratch.root, path, base: scratch.base, runId: 'run_1' });
});
afterEach(() => scratch.remove());

const write = (name: string, text = 'work\n') => writeFile(join(path, name), text);
const take = (pass: number, keep: string[] = []) =>
  snapshot({ worktree: path, runId: 'run_1', step: 'work', pass, attempt: 1, keep });
const commitByHand = async () => {
  await scratch.git(['add', '-A'], path);
  await scratch.git(['commit', '-q', '-m', 'kept'], path);
};

describe('T-29: work that no snapshot or commit holds', () => {
  test('T-29: is told with its paths, and looking changes nothing', async () => {
    await write('a.txt', 'first\n');
    await take(1);
    expect(await unsavedWork(path, [])).toEqual({ kind: 'none' });
    await write('a.txt', 'second\n');
    await write('new.txt');
    for (const _ of ['once', 'again']) {
      expect(await unsavedWork(path, [])).toEqual({ kind: 'work', paths: ['a.txt', 'new.txt'], count: 2 });
    }
    expect(await take(2)).toMatchObject({ changedPaths: 2 });
  });

  test('T-29: is none once a person committed it there', async () => {
    await write('new.txt');
    await commitByHand();
    expect(await unsavedWork(path, [])).toEqual({ kind: 'none' });
    await write('more.txt');
    expect(await unsavedWork(path, [])).toMatchObject({ kind: 'work' });
  });

  test('T-29: are ignored files only where the plan keeps them', async () => {
    await write('out.log');
    expect(await unsavedWork(path, [])).toEqual({ kind: 'none' });
    expect(await unsavedWork(path, ['*.log'])).toEqual({ kind: 'work', paths: ['out.log'], count: 1 });
    await take(1, ['*.log']);
    expect(await unsavedWork(path, ['*.log'])).toEqual({ kind: 'none' });
  });

  test('T-29: cannot be told where our record or the repository is gone, and is none where the folder is gone', async () => {
    await rm(join(scratch.root, '.git'), { recursive: true });
    expect(await unsavedWork(path, [])).toEqual({ kind: 'unreadable' });
    await rm(controlDir(path), { recursive: true });
    expect(await unsavedWork(path, [])).toEqual({ kind: 'unreadable' });
    await rm(path, { recursive: true });
    expect(await unsavedWork(path, [])).toEqual({ kind: 'none' });
  });
});

test('T-29: refs of snapshots are told from those that hold a delivery or work by hand, and go alone', async () => {
  await write('a.txt', 'first\n');
  await take(1);
  await write('by-hand.txt');
  await commitByHand();
  await closeWorktree({ path });
  await scratch.git(['update-ref', 'refs/setpoint/run_1/delivered', scratch.base]);
  await scratch.git(['update-ref', 'refs/setpoint/run_10/base', scratch.base]);
  const { snapshots, kept } = await runRefsOf(scratch.root, 'run_1');
  expect(snapshots.toSorted()).toEqual([
    'refs/setpoint/run_1/attempts/work/1/1',
    'refs/setpoint/run_1/base',
    'refs/setpoint/run_1/work/1',
  ]);
  const names = kept.map((ref) => ref.split('/')[3] ?? '');
  expect(names.toSorted()).toEqual(['delivered', 'left', 'stranded']);
  await forgetRefs(scratch.root, snapshots);
  expect(await runRefsOf(scratch.root, 'run_1')).toEqual({ snapshots: [], kept });
  expect((await runRefsOf(scratch.root, 'run_10')).snapshots).toEqual(['refs/setpoint/run_10/base']);
});

import { existsSync } from 'node:fs';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScratchRepository, type ScratchRepository, writeFiles } from '#infra/git/scratch-repository.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { closeWorktree, openWorktree } from '#infra/git/worktree.ts';

let scratch: ScratchRepository;
let path: string;
const open = () => openWorktree({ repo: scratch.root, path, base: scratch.base, runId: 'run_1' });
const take = (pass: number) => snapshot({ worktree: path, runId: 'run_1', step: 'work', pass, attempt: 1, keep: [] });
const admin = async () => (await readFile(join(path, '.git'), 'utf8')).replace('gitdir: ', '').trim();

beforeEach(async () => {
  scratch = await createScratchRepository({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', '.gitignore': 'ignored/\n' });
  path = join(scratch.folder, 'runs', 'run_1');
});
afterEach(() => scratch.remove());

describe('F1: a worktree per run', () => {
  it('F1: is detached at the base, clean for the agent’s own git, and on no branch', async () => {
    const opened = await open();
    expect(opened).toEqual({ path, base: scratch.base, snapshot: scratch.base, adopted: false, movedAside: [] });
    expect(await readFile(join(path, 'src/b.txt'), 'utf8')).toBe('b\n');
    expect(await scratch.git(['status', '--porcelain'], path)).toBe('');
    expect(await scratch.git(['rev-parse', '--abbrev-ref', 'HEAD'], path)).toBe('HEAD');
    expect(await scratch.git(['for-each-ref', '--format=%(refname)', 'refs/heads'])).toBe('refs/heads/main');
  });

  it('F1: opened again it is adopted as it stands', async () => {
    await open();
    await writeFile(join(path, 'a.txt'), 'work\n');
    expect(await open()).toMatchObject({ adopted: true, movedAside: [] });
    expect(await readFile(join(path, 'a.txt'), 'utf8')).toBe('work\n');
  });

  it('F1: twenty runs that open at once in one repository all get theirs', async () => {
    const paths = Array.from({ length: 20 }, (_, n) => join(scratch.folder, 'runs', `many_${n}`));
    const all = await Promise.all(
      paths.map((each, n) => openWorktree({ repo: scratch.root, path: each, base: scratch.base, runId: `many_${n}` })),
    );
    expect(all.every((one) => !one.adopted)).toBe(true);
    expect((await scratch.git(['worktree', 'list'])).split('\n')).toHaveLength(21);
  });

  it('F1: a base that does not exist is a fault with the remedy', async () => {
    await expect(
      openWorktree({ repo: scratch.root, path, base: 'f'.repeat(40), runId: 'run_1' }),
    ).rejects.toMatchObject({ code: 'workspace/base-unknown' });
  });

  it('F1: closing removes it, twice is fine, and it opens again', async () => {
    await open();
    expect(await closeWorktree({ path })).toEqual({ removed: true });
    expect(await closeWorktree({ path })).toEqual({ removed: false });
    expect(existsSync(path)).toBe(false);
    expect(await readdir(join(scratch.folder, 'runs'))).toEqual([]);
    expect((await scratch.git(['worktree', 'list'])).split('\n')).toHaveLength(1);
    expect(await open()).toMatchObject({ adopted: false, movedAside: [] });
  });

  it('F1: closing keeps work that no snapshot holds', async () => {
    await open();
    await writeFile(join(path, 'late.txt'), 'late\n');
    const closed = await closeWorktree({ path });
    expect(closed.left).toMatch(/^refs\/setpoint\/run_1\/left\//);
    expect(await scratch.git(['show', `${closed.left}:late.txt`])).toBe('late');
  });

  it('F1, F6: no hook of the repository runs when it is opened', async () => {
    const hook = join(scratch.root, '.git', 'hooks', 'post-checkout');
    await writeFile(hook, `#!/bin/sh\ntouch ${scratch.folder}/PWN\n`, { mode: 0o755 });
    await open();
    expect(existsSync(join(scratch.folder, 'PWN'))).toBe(false);
  });
});

describe('R043: what a crash left', () => {
  it('R043 a: a folder that git no longer knows is moved aside and named, its unsaved files kept', async () => {
    await open();
    await writeFile(join(path, 'unsaved.txt'), 'unsaved\n');
    await rm(await admin(), { recursive: true });
    const again = await open();
    expect(again).toMatchObject({ adopted: false, movedAside: [`${path}.aside-1`] });
    expect(await readFile(join(`${path}.aside-1`, 'unsaved.txt'), 'utf8')).toBe('unsaved\n');
    expect(existsSync(join(path, 'unsaved.txt'))).toBe(false);
    expect(existsSync(join(`${path}.aside-1`, '.git'))).toBe(false);
  });

  it('R043 b: a registration whose folder is gone is no obstacle', async () => {
    await open();
    await rm(path, { recursive: true });
    expect(await open()).toMatchObject({ adopted: false, movedAside: [] });
    expect(await scratch.git(['status', '--porcelain'], path)).toBe('');
  });

  it('R043 b: commits that only the lost worktree held are kept', async () => {
    await open();
    await writeFile(join(path, 'c.txt'), 'c\n');
    await scratch.git(['add', '-A'], path);
    await scratch.git(['commit', '-q', '-m', 'by hand'], path);
    const commit = await scratch.git(['rev-parse', 'HEAD'], path);
    await rm(path, { recursive: true });
    await open();
    expect(await scratch.git(['rev-parse', `refs/setpoint/run_1/stranded/${commit}`])).toBe(commit);
  });

  it('R043 c: a whole one is adopted with its last snapshot', async () => {
    await open();
    await writeFile(join(path, 'a.txt'), 'work\n');
    const { commit } = await take(1);
    expect(await open()).toMatchObject({ adopted: true, snapshot: commit });
  });

  it('R043 d: a file in its place is moved aside', async () => {
    await open();
    await rm(path, { recursive: true });
    await writeFile(path, 'not a folder');
    expect(await open()).toMatchObject({ adopted: false, movedAside: [`${path}.aside-1`] });
    expect(await readFile(`${path}.aside-1`, 'utf8')).toBe('not a folder');
  });

  it('R043: a crash between the steps of opening is finished by the next try', async () => {
    await open();
    const recordFile = join(`${path}.control`, 'workspace.json');
    const record = JSON.parse(await readFile(recordFile, 'utf8')) as object;
    await writeFile(recordFile, JSON.stringify({ ...record, phase: 'opening' }));
    expect(await open()).toMatchObject({ adopted: false, movedAside: [] });
    expect(await scratch.git(['status', '--porcelain'], path)).toBe('');
  });

  it('F1: a folder of someone else is moved aside, never emptied', async () => {
    await writeFiles(path, { 'theirs.txt': 'theirs\n' });
    expect(await open()).toMatchObject({ movedAside: [`${path}.aside-1`] });
    expect(await readFile(join(`${path}.aside-1`, 'theirs.txt'), 'utf8')).toBe('theirs\n');
  });
});

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutSnapshot, restoreWorktree } from '#infra/git/checkout.ts';
import { rollback, treeState } from '#infra/git/rollback.ts';
import { createScratchRepository, type ScratchRepository, writeFiles } from '#infra/git/scratch-repository.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { closeWorktree, openWorktree } from '#infra/git/worktree.ts';

let scratch: ScratchRepository;
let path: string;
const open = () => ({ repo: scratch.root, path, base: scratch.base, runId: 'run_1' });
const take = (pass = 1) => snapshot({ worktree: path, runId: 'run_1', step: 'work', pass, attempt: 1, keep: [] });
const shell = (script: string, cwd = path) =>
  execFileSync('sh', ['-ec', script], { cwd, stdio: 'pipe', encoding: 'utf8' });
const commit = 'git add -A && git -c user.name=x -c user.email=x@example.org commit -qm x';

beforeEach(async () => {
  scratch = await createScratchRepository({ VERSION: '1\n', 'src/b.txt': 'b\n', '.gitignore': 'ignored/\n' });
  path = join(scratch.folder, 'runs', 'run_1');
  await openWorktree(open());
  await writeFiles(path, { 'work.txt': 'work\n', 'ignored/dep.txt': 'dep' });
});
afterEach(() => scratch.remove());

describe('B12: a check does not edit what it judges', () => {
  it('B12: an untouched tree is its snapshot, and rolling back does nothing', async () => {
    const taken = await take();
    expect(await treeState(path)).toEqual({ fingerprint: taken.fingerprint, changed: [], count: 0 });
    expect(await rollback({ worktree: path, to: taken.commit })).toEqual({
      tree: taken.tree,
      undone: [],
      count: 0,
      headMoved: false,
    });
  });

  it('R011: what a check changed is told and undone exactly; ignored files stay', async () => {
    const taken = await take();
    shell(
      'echo x >> VERSION; rm -r src; echo n > new.txt; mkdir d; echo d > d/e; chmod +x work.txt; echo more > ignored/more.txt',
    );
    const state = await treeState(path);
    expect(state.count).toBe(5);
    expect(state.changed).toEqual([
      { path: 'VERSION', change: 'modified' },
      { path: 'd/e', change: 'added' },
      { path: 'new.txt', change: 'added' },
      { path: 'src/b.txt', change: 'removed' },
      { path: 'work.txt', change: 'modified' },
    ]);
    const undone = await rollback({ worktree: path, to: taken.commit });
    expect(undone).toMatchObject({ tree: taken.tree, undone: state.changed, headMoved: false });
    expect(await treeState(path)).toMatchObject({ fingerprint: taken.fingerprint, count: 0 });
    expect(shell('cat VERSION src/b.txt ignored/more.txt; ls')).toBe('1\nb\nmore\nVERSION\nignored\nsrc\nwork.txt\n');
  });

  it('B12: files that a changed ignore rule hid are found and removed too', async () => {
    const taken = await take();
    shell("echo '*' > .gitignore; echo hidden > hidden.txt");
    const { undone } = await rollback({ worktree: path, to: taken.commit });
    expect(undone.map((change) => change.path).toSorted()).toEqual(['.gitignore', 'hidden.txt']);
    expect(existsSync(join(path, 'hidden.txt'))).toBe(false);
    expect(existsSync(join(path, 'ignored/dep.txt'))).toBe(true);
  });

  it('B12: a repository that a check made is removed; one that the work holds stays', async () => {
    shell(`mkdir mine && cd mine && git init -q && echo m > m.txt && ${commit}`);
    const taken = await take();
    shell(`mkdir -p made/in && cd made && git init -q && echo n > n.txt && ${commit}; echo x >> ../mine/m.txt`);
    await rollback({ worktree: path, to: taken.commit });
    expect(existsSync(join(path, 'made'))).toBe(false);
    expect(existsSync(join(path, 'mine/.git/HEAD'))).toBe(true);
    expect(await readFile(join(path, 'mine/m.txt'), 'utf8')).toBe('m\n');
  });

  it('B12: a check that commits or changes branch is undone as well', async () => {
    const taken = await take();
    shell(`git checkout -qb checks; ${commit}`);
    expect((await treeState(path)).fingerprint.head).not.toBe(scratch.base);
    expect(await rollback({ worktree: path, to: taken.commit })).toMatchObject({ count: 0, headMoved: true });
    expect(await treeState(path)).toMatchObject({ fingerprint: taken.fingerprint });
    shell('git checkout -q --detach; git branch -qD checks');
    expect((await take(2)).findings).toEqual([]);
  });

  it('B12: a look changes nothing that a later snapshot would miss', async () => {
    await take(1);
    await writeFiles(path, { 'later.txt': 'later\n' });
    const state = await treeState(path);
    const taken = await take(2);
    expect(taken).toMatchObject({ tree: state.fingerprint.tree, changedPaths: 1 });
  });
});

describe('E5, F3: a worktree is rebuilt at the exact tree', () => {
  it('E5: what a broken-off attempt left is undone, the last snapshot is what stands', async () => {
    const taken = await take();
    shell('rm work.txt; echo half > half.txt');
    expect(await restoreWorktree({ ...open(), commit: taken.commit })).toMatchObject({
      adopted: true,
      tree: taken.tree,
      undone: 2,
      movedAside: [],
    });
    expect(await treeState(path)).toMatchObject({ fingerprint: { tree: taken.tree }, count: 0 });
  });

  it('F1: what the broken-off attempt had, and its commits, are kept all the same', async () => {
    const taken = await take();
    shell(`echo half > half.txt; ${commit}; echo more > more.txt`);
    const made = await scratch.git(['rev-parse', 'HEAD'], path);
    const { left } = await restoreWorktree({ ...open(), commit: taken.commit });
    expect(await scratch.git(['ls-tree', '--name-only', left ?? '', 'half.txt', 'more.txt'])).toBe(
      'half.txt\nmore.txt',
    );
    expect(await scratch.git(['rev-parse', `refs/setpoint/run_1/stranded/${made}`])).toBe(made);
    expect(await scratch.git(['rev-parse', 'HEAD'], path)).toBe(scratch.base);
    expect(await restoreWorktree({ ...open(), commit: taken.commit })).not.toHaveProperty('left');
  });

  it('F3: from nothing but the repository', async () => {
    const taken = await take();
    await closeWorktree({ path });
    expect(await restoreWorktree({ ...open(), commit: taken.commit })).toMatchObject({
      adopted: false,
      tree: taken.tree,
      undone: 0,
    });
    expect(await readFile(join(path, 'work.txt'), 'utf8')).toBe('work\n');
    await writeFiles(path, { 'next.txt': 'next\n' });
    expect((await take(2)).parent).toBe(taken.commit);
  });

  it('E8: back to an older snapshot, and on from there', async () => {
    const first = await take(1);
    await writeFiles(path, { 'work.txt': 'second\n' });
    await take(2);
    await restoreWorktree({ ...open(), commit: first.commit });
    await writeFiles(path, { 'other.txt': 'other\n' });
    expect((await take(3)).parent).toBe(first.commit);
  });
});

describe('decision 14: readers have a checkout of their own', () => {
  it('B3, R011: it is clean, side by side with the workspace, and clean again for the next reader', async () => {
    const taken = await take();
    const reader = join(scratch.folder, 'runs', 'run_1.read');
    const request = { repo: scratch.root, commit: taken.commit, path: reader, runId: 'run_1' };
    expect(await checkoutSnapshot(request)).toMatchObject({ adopted: false });
    expect(shell('git diff --exit-code; git status --porcelain; cat work.txt', reader)).toBe('work\n');
    expect(existsSync(join(reader, 'ignored'))).toBe(false);
    shell('echo x >> VERSION; echo new > new.txt; mkdir ignored; echo setup > ignored/setup.txt', reader);
    expect(await checkoutSnapshot(request)).toMatchObject({ adopted: true });
    expect(shell('git diff --exit-code; git status --porcelain; cat ignored/setup.txt', reader)).toBe('setup\n');
    await closeWorktree({ path: reader });
    expect(await readFile(join(path, 'work.txt'), 'utf8')).toBe('work\n');
  });

  it('R023: a nested repository’s files are in the reader’s checkout, also after the workspace is lost', async () => {
    shell(`mkdir app && cd app && git init -q && echo hi > index.js && ${commit}`);
    const taken = await take();
    await rm(path, { recursive: true });
    const reader = join(scratch.folder, 'elsewhere');
    await checkoutSnapshot({ repo: scratch.root, commit: taken.commit, path: reader, runId: 'run_1' });
    expect(await readFile(join(reader, 'app/index.js'), 'utf8')).toBe('hi\n');
  });
});

import { existsSync } from 'node:fs';
import { mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectRepository, locateRepository, resolveBase } from '#infra/git/repository.ts';
import { createScratchRepository, type ScratchRepository, writeFiles } from '#infra/git/scratch-repository.ts';
import { openWorktree } from '#infra/git/worktree.ts';

let scratch: ScratchRepository;
beforeEach(async () => {
  scratch = await createScratchRepository({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n', '.gitignore': 'ignored\n' });
});
afterEach(() => scratch.remove());

describe('the facts of a repository', () => {
  it('F1: from any folder inside it: root, HEAD, branch, default branch', async () => {
    await scratch.git(['checkout', '-q', '-b', 'feature']);
    const gitDir = join(scratch.root, '.git');
    expect(await inspectRepository(join(scratch.root, 'sub'))).toEqual({
      root: scratch.root,
      gitDir,
      commonDir: gitDir,
      objectFormat: 'sha1',
      bare: false,
      head: scratch.base,
      branch: 'feature',
      defaultBranch: 'main',
      dirty: [],
    });
  });

  it('F1: a detached HEAD has no branch, and origin’s HEAD names the default branch', async () => {
    await scratch.git(['checkout', '-q', '--detach']);
    await scratch.git(['update-ref', 'refs/remotes/origin/trunk', scratch.base]);
    await scratch.git(['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk']);
    const found = await inspectRepository(scratch.root);
    expect(found).not.toHaveProperty('branch');
    expect(found.defaultBranch).toBe('trunk');
  });

  it('F1: uncommitted work is told, ignored files are not', async () => {
    await writeFiles(scratch.root, { 'a.txt': 'changed\n', 'new.txt': 'new\n', ignored: 'x' });
    const found = await inspectRepository(scratch.root);
    expect(found.dirty.toSorted()).toEqual(['a.txt', 'new.txt']);
  });

  it('F1: a folder outside any repository, or none at all, is a fault with the remedy', async () => {
    await mkdir(join(scratch.folder, 'plain'));
    await expect(inspectRepository(join(scratch.folder, 'plain'))).rejects.toMatchObject({
      code: 'workspace/not-a-repository',
      message: expect.stringContaining('git init'),
    });
    await expect(inspectRepository(join(scratch.folder, 'absent'))).rejects.toMatchObject({
      code: 'workspace/not-a-repository',
    });
  });

  it('F1: a repository without a commit is a clear fault', async () => {
    const empty = join(scratch.folder, 'empty');
    await scratch.git(['init', '-q', empty]);
    await expect(inspectRepository(empty)).rejects.toMatchObject({
      code: 'workspace/base-unknown',
      message: expect.stringContaining('first commit'),
    });
  });

  it('F1: a base is a branch, a tag, a commit, or a branch of origin; anything else is a fault', async () => {
    const repository = await locateRepository(scratch.root);
    await scratch.git(['tag', '-m', 'v1', 'v1']);
    await scratch.git(['update-ref', 'refs/remotes/origin/only-there', scratch.base]);
    for (const name of ['main', 'v1', 'HEAD', scratch.base.slice(0, 10), 'only-there'])
      expect(await resolveBase(repository, name)).toBe(scratch.base);
    for (const name of ['nope', '--all', '', 'main:a.txt'])
      await expect(resolveBase(repository, name)).rejects.toMatchObject({ code: 'workspace/base-unknown' });
  });

  it('F6: looking at a checkout runs no monitor and no filter of its configuration', async () => {
    await writeFiles(scratch.root, { '.gitattributes': '*.txt filter=x\n' });
    await scratch.git(['config', 'core.fsmonitor', `touch ${scratch.folder}/PWN`]);
    await scratch.git(['config', 'filter.x.clean', `touch ${scratch.folder}/PWN; cat`]);
    await scratch.git(['config', 'filter.x.required', 'true']);
    await utimes(join(scratch.root, 'a.txt'), 1, 1);
    expect((await inspectRepository(scratch.root)).dirty).toEqual(['.gitattributes']);
    expect(existsSync(join(scratch.folder, 'PWN'))).toBe(false);
  });

  it('F1: a SHA-256 repository works as well', async () => {
    const root = join(scratch.folder, 'sha256');
    await scratch.git(['init', '-q', '--object-format=sha256', root]);
    await scratch.git(['commit', '-q', '--allow-empty', '-m', 'first'], root);
    const found = await inspectRepository(root);
    expect(found).toMatchObject({ objectFormat: 'sha256', head: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(
      await openWorktree({ repo: root, path: join(scratch.folder, 'w'), base: found.head, runId: 'run_1' }),
    ).toMatchObject({ adopted: false });
  });
});

import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Snapshot } from '#core/workspace/snapshot.ts';
import { createScratchRepository, type ScratchRepository, writeFiles } from '#infra/git/scratch-repository.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { openWorktree } from '#infra/git/worktree.ts';

let scratch: ScratchRepository;
let path: string;
const take = (pass = 1, keep: string[] = []) =>
  snapshot({ worktree: path, runId: 'run_1', step: 'work', pass, attempt: 1, keep });
const files = async (commit: string) => (await scratch.git(['ls-tree', '-r', '--name-only', commit])).split('\n');
const agent = (script: string) => execFileSync('sh', ['-ec', script], { cwd: path, stdio: 'pipe' });

beforeEach(async () => {
  scratch = await createScratchRepository({ 'a.txt': 'a\n', 'src/b.txt': 'b\n', '.gitignore': 'ignored/\n*.log\n' });
  path = join(scratch.folder, 'runs', 'run_1');
  await openWorktree({ repo: scratch.root, path, base: scratch.base, runId: 'run_1' });
});
afterEach(() => scratch.remove());

describe('F2: a snapshot holds the work', () => {
  it('F2: changed, new and removed files, no ignored ones, outside the branches', async () => {
    await writeFiles(path, { 'a.txt': 'changed\n', 'new/c.txt': 'c\n', 'ignored/x': 'x', 'debug.log': 'log' });
    await rm(join(path, 'src/b.txt'));
    const taken = Snapshot.parse(await take());
    expect(await files(taken.commit)).toEqual(['.gitignore', 'a.txt', 'new/c.txt']);
    expect(taken).toMatchObject({
      parent: scratch.base,
      changedPaths: 3,
      findings: [],
      fingerprint: { tree: taken.tree, head: scratch.base },
    });
    expect(await scratch.git(['rev-parse', 'refs/setpoint/run_1/work/1'])).toBe(taken.commit);
    expect(await scratch.git(['for-each-ref', '--format=%(refname)', 'refs/heads'])).toBe('refs/heads/main');
    // The agent's own index and HEAD are untouched.
    expect(await scratch.git(['diff', '--cached', '--name-only'], path)).toBe('');
  });

  it('F2: the keep list adds ignored files', async () => {
    await writeFiles(path, { 'ignored/x': 'x', 'ignored/deep/y': 'y', 'debug.log': 'log', 'other.log': 'log' });
    expect(await files((await take(1, ['ignored/', 'debug.log'])).commit)).toEqual([
      '.gitignore',
      'a.txt',
      'debug.log',
      'ignored/deep/y',
      'ignored/x',
      'src/b.txt',
    ]);
  });

  it('F2: an unchanged tree keeps its commit, and the ref that holds it', async () => {
    const before = await take(1);
    expect(before.tree).toBe(await scratch.git(['rev-parse', `${scratch.base}^{tree}`]));
    await writeFiles(path, { 'a.txt': 'changed\n' });
    const first = await take(2);
    const second = await take(3);
    expect(second).toMatchObject({
      tree: first.tree,
      commit: first.commit,
      parent: first.parent,
      changedPaths: 0,
    });
    expect(await scratch.git(['rev-parse', 'refs/setpoint/run_1/work/2'])).toBe(second.commit);
  });

  it('F2: modes, links, odd names and a folder that became a link or a file are kept exactly', async () => {
    await writeFiles(path, { 'run.sh': 'true\n', 'odd "ü\n name.txt': 'x', 'new/deep.txt': 'x' });
    await writeFile(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0xfe, 0x78])]), 'no utf-8');
    await chmod(join(path, 'run.sh'), 0o755);
    await rename(join(path, 'src'), join(path, 'moved'));
    await symlink('moved', join(path, 'src'));
    const first = await take(1);
    expect(await scratch.git(['ls-tree', first.commit, 'src', 'run.sh'])).toMatch(/^100755 .*run.sh\n120000 .*src$/);
    expect(
      (await scratch.git(['ls-tree', '-r', '-z', '--name-only', first.commit])).split('\0').filter(Boolean),
    ).toHaveLength(8);
    await rm(join(path, 'new'), { recursive: true });
    await writeFiles(path, { new: 'a file now' });
    await rm(join(path, 'a.txt'));
    await writeFiles(path, { 'a.txt/b': 'a folder now' });
    const second = await take(2);
    expect(await scratch.git(['ls-tree', '-r', '--name-only', second.commit, 'new', 'a.txt'])).toBe('a.txt/b\nnew');
  });

  it('F2: a second attempt of a pass does not let go of the first one’s commit', async () => {
    await writeFiles(path, { 'a.txt': 'one\n' });
    const first = await take(1);
    await writeFiles(path, { 'a.txt': 'two\n' });
    await snapshot({ worktree: path, runId: 'run_1', step: 'work', pass: 1, attempt: 2, keep: [] });
    expect(await scratch.git(['rev-parse', 'refs/setpoint/run_1/attempts/work/1/1'])).toBe(first.commit);
  });

  it('F2: any step name gives a ref of its own', async () => {
    const steps = ['base', 'stranded', 'a b', 'a/b', 'ü..~^', 'a%2fb'];
    for (const step of steps) {
      await writeFiles(path, { 'a.txt': step });
      await snapshot({ worktree: path, runId: 'run_1', step, pass: 1, attempt: 1, keep: [] });
    }
    const refs = await scratch.git(['for-each-ref', '--format=%(objectname)', 'refs/setpoint/run_1']);
    // Two a step: its pass and its attempt; and the base's own.
    expect(refs.split('\n')).toHaveLength(2 * steps.length + 1);
  });

  it('F2: a crash before the record was written does not make an old tree look unchanged', async () => {
    const recordFile = join(`${path}.control`, 'workspace.json');
    const before = await readFile(recordFile, 'utf8');
    await writeFiles(path, { 'a.txt': 'one\n' });
    const first = await take(1);
    await writeFile(recordFile, before);
    expect(await take(1)).toMatchObject({ tree: first.tree, parent: first.parent });
  });

  it('F2: a crash that left a broken or missing index, or git’s own lock, costs nothing', async () => {
    await writeFiles(path, { 'a.txt': 'one\n', 'n.txt': 'n\n' });
    const first = await take(1);
    const index = join(`${path}.control`, 'git', 'index');
    await writeFile(`${index}.lock`, '');
    await writeFile(index, 'broken');
    expect(await take(2)).toMatchObject({ tree: first.tree });
    await rm(index);
    await writeFiles(path, { 'm.txt': 'm\n' });
    expect(await files((await take(3)).commit)).toEqual(['.gitignore', 'a.txt', 'm.txt', 'n.txt', 'src/b.txt']);
  });
});

describe('F5: fidelity', () => {
  const committed = 'git add . && git -c user.name=x -c user.email=x@example.org commit -qm x';

  it.each([
    ['with a commit', `mkdir app && cd app && git init -q && echo hi > index.js && ${committed}`],
    ['without a commit', 'mkdir app && cd app && git init -q && echo hi > index.js && git add .'],
  ])('R023: a nested repository %s is recorded as files, with a finding, and stays followed', async (_, script) => {
    agent(script);
    const first = await take(1);
    expect(await scratch.git(['ls-tree', '-r', first.commit, 'app'])).toMatch(/^100644 blob \w+\tapp\/index.js$/);
    expect(first.findings).toMatchObject([{ kind: 'nested_repository', paths: ['app'] }]);
    await writeFiles(path, { 'app/more.js': 'more\n', 'app/debug.log': 'ignored' });
    const second = await take(2);
    expect(await files(second.commit)).toEqual(['.gitignore', 'a.txt', 'app/index.js', 'app/more.js', 'src/b.txt']);
    expect(second.findings).toEqual([]);
    expect(await take(3)).toMatchObject({ commit: second.commit, changedPaths: 0 });
  });

  it('R023: repositories within repositories, and one in the place of a file, are files too', async () => {
    agent(
      `rm a.txt && mkdir -p a.txt/in/ner && cd a.txt && git init -q && echo 1 > one && ${committed} && cd in/ner && git init -q && echo 2 > two && ${committed}`,
    );
    const taken = await take(1);
    expect(await files(taken.commit)).toEqual(['.gitignore', 'a.txt/in/ner/two', 'a.txt/one', 'src/b.txt']);
    expect(taken.findings).toMatchObject([{ paths: ['a.txt', 'a.txt/in/ner'] }]);
  });

  it('F5: commits on HEAD are kept and reported once, and count in the fingerprint (C8)', async () => {
    agent(`echo c > c.txt && ${committed}`);
    const head = await scratch.git(['rev-parse', 'HEAD'], path);
    const first = await take(1);
    expect(first.findings).toMatchObject([{ kind: 'stranded_commits', commits: [head], refs: ['HEAD'] }]);
    expect(first.fingerprint.head).toBe(head);
    expect(await scratch.git(['rev-parse', `refs/setpoint/run_1/stranded/${head}`])).toBe(head);
    expect((await take(2)).findings).toEqual([]);
  });

  it('F5: commits on a branch that was left, on a branch made without HEAD, in the stash and on no ref at all are kept', async () => {
    agent(`git config user.name x; git config user.email x@example.org
      git checkout -qb side; echo s > s.txt; git add .; git commit -qm side; git checkout -q --detach HEAD~1
      echo l > l.txt; git add .; git commit -qm lost; git reset -q --hard HEAD~1
      git branch quiet $(git commit-tree -p HEAD -m quiet HEAD^{tree})
      echo stash > a.txt; git stash -q`);
    const { findings } = await take(1);
    expect(findings).toMatchObject([{ kind: 'stranded_commits' }]);
    const found = findings[0];
    const subjects = new Set<string>();
    for (const commit of found?.kind === 'stranded_commits' ? found.commits : [])
      subjects.add(await scratch.git(['show', '-s', '--format=%s', commit]));
    expect([...subjects].map((text) => text.replace(/ .*/, '')).toSorted()).toEqual([
      'WIP',
      'index',
      'lost',
      'quiet',
      'side',
    ]);
    expect(found?.kind === 'stranded_commits' ? found.refs.toSorted() : []).toEqual([
      'refs/heads/quiet',
      'refs/heads/side',
      'refs/stash',
    ]);
    const kept = (
      await scratch.git(['for-each-ref', '--format=%(contents:subject)', 'refs/setpoint/run_1/stranded'])
    ).split('\n');
    expect(kept).toEqual(expect.arrayContaining(['side', 'lost', 'quiet']));
  });

  it('F5: what a person commits in their own checkout meanwhile is not the agent’s', async () => {
    await writeFiles(scratch.root, { 'mine.txt': 'mine\n' });
    await scratch.git(['add', '-A']);
    await scratch.git(['commit', '-q', '-m', 'mine']);
    expect((await take(1)).findings).toEqual([]);
  });

  it('F5: attributes with which git refuses a file do not stop the run; the file is recorded as it is', async () => {
    await writeFiles(path, { '.gitattributes': '*.bad working-tree-encoding=no-such-encoding\n', 'x.bad': 'x\r\n' });
    const taken = await take(1);
    expect(taken.findings).toMatchObject([{ kind: 'attributes_ignored' }]);
    expect(await scratch.git(['cat-file', 'blob', `${taken.commit}:x.bad`])).toBe('x\r');
    expect(await take(2)).toMatchObject({ tree: taken.tree });
  });

  it('F5: a snapshot that fails is a fault, never "no change"', async () => {
    await writeFiles(path, { 'a.txt': 'changed\n' });
    const objects = join(scratch.root, '.git', 'objects');
    await rename(objects, `${objects}-away`);
    await writeFile(objects, '');
    await expect(take(1)).rejects.toMatchObject({ code: 'workspace/snapshot-failed' });
    await rm(objects);
    await rename(`${objects}-away`, objects);
    expect(await take(1)).toMatchObject({ changedPaths: 1 });
  });

  it('F5: a workspace that is gone is a fault', async () => {
    await rm(path, { recursive: true });
    await expect(take(1)).rejects.toMatchObject({ code: 'workspace/missing' });
  });

  it('F5: submodules stay what the base names; one that became files is files', async () => {
    const library = await createScratchRepository({ 'lib.txt': 'lib\n' });
    try {
      await scratch.git(['-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', library.root, 'lib']);
      await scratch.git(['commit', '-q', '-m', 'submodule']);
      const base = await scratch.git(['rev-parse', 'HEAD']);
      path = join(scratch.folder, 'runs', 'run_2');
      await openWorktree({ repo: scratch.root, path, base, runId: 'run_2' });
      await writeFiles(path, { 'a.txt': 'changed\n' });
      const first = await take(1);
      expect(await scratch.git(['ls-tree', first.commit, 'lib'])).toContain(`160000 commit ${library.base}`);
      agent(
        'git -c protocol.file.allow=always submodule update -q --init && cd lib && echo more > more.txt && git add . && git -c user.name=x -c user.email=x@example.org commit -qm x',
      );
      const second = await take(2);
      expect(second.findings).toMatchObject([{ kind: 'submodule_kept', paths: ['lib'] }]);
      expect(second.tree).toBe(first.tree);
      agent('rm -rf lib && mkdir lib && echo v > lib/vendored.txt');
      expect(await files((await take(3)).commit)).toContain('lib/vendored.txt');
      expect(await take(4)).toMatchObject({ changedPaths: 0 });
    } finally {
      await library.remove();
    }
  });
});

describe('F6: our git trusts nothing that the agent can write', () => {
  it('R025: a replaced repository with a monitor and a filter runs nothing; the file is recorded as written, the run goes on', async () => {
    agent(`rm -f .git; git init -q .; git config core.fsmonitor 'touch ${scratch.folder}/PWN'; git config filter.x.clean 'sh -c "touch ${scratch.folder}/PWN2; cat"'
      echo '*.txt filter=x' > .gitattributes; echo hi > a.txt`);
    const taken = await take(1);
    expect(existsSync(join(scratch.folder, 'PWN'))).toBe(false);
    expect(existsSync(join(scratch.folder, 'PWN2'))).toBe(false);
    expect(await scratch.git(['show', `${taken.commit}:a.txt`])).toBe('hi');
    const [finding] = taken.findings;
    expect(finding).toMatchObject({ kind: 'pointer_replaced', movedTo: join(`${path}.control`, 'replaced-git-1') });
    expect(existsSync(join(`${path}.control`, 'replaced-git-1', 'config'))).toBe(true);
    expect(await scratch.git(['rev-parse', '--git-common-dir'], path)).toBe(join(scratch.root, '.git'));
    await writeFiles(path, { 'a.txt': 'more\n' });
    expect((await take(2)).findings).toEqual([]);
  });

  it('F6: the same settings written into the shared configuration run nothing either', async () => {
    agent(`git config core.fsmonitor 'touch ${scratch.folder}/PWN'; git config filter.x.process 'touch ${scratch.folder}/PWN2'; git config core.hooksPath hooks
      git config filter.x.required true; git config diff.external 'touch ${scratch.folder}/PWN3'; mkdir hooks; printf '#!/bin/sh\ntouch ${scratch.folder}/PWN4' > hooks/reference-transaction
      chmod 755 hooks/reference-transaction; echo '*.txt filter=x' > .gitattributes; echo hi > a.txt`);
    const taken = await take(1);
    expect(await scratch.git(['cat-file', 'blob', `${taken.commit}:a.txt`])).toBe('hi');
    for (const name of ['PWN', 'PWN2', 'PWN3', 'PWN4']) expect(existsSync(join(scratch.folder, name))).toBe(false);
  });

  it('F6: ignore rules that the agent wrote outside the tree hide nothing', async () => {
    agent(
      `mkdir -p "$(git rev-parse --git-path info)"; echo '*' >> "$(git rev-parse --git-path info/exclude)"; echo hi > seen.txt`,
    );
    expect(await files((await take(1)).commit)).toContain('seen.txt');
  });

  it('F6: a worktree that was unregistered goes on, with a finding', async () => {
    await rm((await readFile(join(path, '.git'), 'utf8')).replace('gitdir: ', '').trim(), { recursive: true });
    await mkdir(join(path, 'x'));
    await writeFiles(path, { 'x/y.txt': 'y\n' });
    const taken = await take(1);
    expect(taken.findings).toMatchObject([{ kind: 'pointer_replaced' }]);
    expect(await files(taken.commit)).toContain('x/y.txt');
    expect(await scratch.git(['status', '--porcelain'], path)).toContain('?? x/');
  });
});

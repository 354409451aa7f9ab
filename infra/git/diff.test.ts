import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rename } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedPaths, diff, protectedChanges } from '#infra/git/diff.ts';
import { createScratchRepository, type ScratchRepository, writeFiles } from '#infra/git/scratch-repository.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { openWorktree } from '#infra/git/worktree.ts';

let scratch: ScratchRepository;
let between: { repo: string; base: string; commit: string };

beforeEach(async () => {
  scratch = await createScratchRepository({
    'src/a.ts': 'a\n',
    'test/a.test.ts': 'test\n',
    'test/old.test.ts': 'old\n',
  });
  const path = join(scratch.folder, 'runs', 'run_1');
  await openWorktree({ repo: scratch.root, path, base: scratch.base, runId: 'run_1' });
  await writeFiles(path, {
    'src/a.ts': 'b\n',
    'test/a.test.ts': 'weaker\n',
    'test/.hidden/x': 'x',
    'long.txt': 'line\n'.repeat(1_000),
  });
  await rename(join(path, 'test/old.test.ts'), join(path, 'old.ts'));
  const { commit } = await snapshot({ worktree: path, runId: 'run_1', step: 'work', pass: 1, attempt: 1, keep: [] });
  between = { repo: scratch.root, base: scratch.base, commit };
});
afterEach(() => scratch.remove());

describe('what changed between the base and a snapshot', () => {
  it('B4: changed, added, removed and moved-away files that a glob protects are told, others are not', async () => {
    expect(await protectedChanges({ ...between, globs: ['test/**'] })).toEqual([
      { path: 'test/.hidden/x', change: 'added' },
      { path: 'test/a.test.ts', change: 'modified' },
      { path: 'test/old.test.ts', change: 'removed' },
    ]);
    expect(await protectedChanges({ ...between, globs: ['test/'] })).toHaveLength(3);
    expect(await protectedChanges({ ...between, globs: ['docs/**', 'package.json'] })).toEqual([]);
    expect(await protectedChanges({ ...between, globs: [] })).toEqual([]);
  });

  it('B5: all changed paths', async () => {
    expect((await changedPaths(between)).map((change) => change.path)).toEqual([
      'long.txt',
      'old.ts',
      'src/a.ts',
      'test/.hidden/x',
      'test/a.test.ts',
      'test/old.test.ts',
    ]);
  });

  it('C9: the difference as text, without colour, cut at a line’s end', async () => {
    await scratch.git(['config', 'color.ui', 'always']);
    const whole = await diff(between);
    expect(whole.truncated).toBe(false);
    expect(whole.text).toContain('--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n');
    const cut = await diff({ ...between, maxBytes: 1_000 });
    expect(cut.truncated).toBe(true);
    expect(cut.text.length).toBeLessThanOrEqual(1_000);
    expect(cut.text.endsWith('\n')).toBe(true);
  });

  it('F6: no external diff and no text conversion runs', async () => {
    await scratch.git(['config', 'diff.external', `touch ${scratch.folder}/PWN; true`]);
    await scratch.git(['config', 'diff.x.textconv', `touch ${scratch.folder}/PWN; cat`]);
    await scratch.git(['config', 'diff.x.command', `touch ${scratch.folder}/PWN`]);
    await writeFiles(scratch.root, { '.git/info/attributes': '* diff=x\n' });
    expect((await diff(between)).text).toContain('+b\n');
    expect(existsSync(join(scratch.folder, 'PWN'))).toBe(false);
  });
});

import fc from 'fast-check';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { rollback, treeState } from '#infra/git/rollback.ts';
import { createScratchRepository, type ScratchRepository } from '#infra/git/scratch-repository.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { openWorktree } from '#infra/git/worktree.ts';

const name = fc.constantFrom('a', 'b', 'a/b', 'a/b/c', 'b/a', 'skip/x', 'd.log', 'é ü', '-n', 'x"y');
const edit = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), name, text: fc.constantFrom('', 'one', 'two\n', 'x\r\n') }),
  fc.record({ kind: fc.constant('remove' as const), name }),
  fc.record({ kind: fc.constant('link' as const), name, to: fc.constantFrom('a', '../b', '/nowhere') }),
  fc.record({ kind: fc.constant('mode' as const), name, text: fc.constantFrom('run') }),
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

async function carryOut(root: string, one: Edit): Promise<void> {
  const path = join(root, one.name);
  // What stands in the way goes, as a program's own `rm -rf` would do it.
  for (let parent = dirname(path); parent.length > root.length; parent = dirname(parent))
    await rm(parent, { force: true }).catch(() => undefined);
  await rm(path, { recursive: true, force: true });
  if (one.kind === 'remove') return;
  await mkdir(dirname(path), { recursive: true });
  if (one.kind === 'link') return symlink(one.to, path);
  await writeFile(path, one.text);
  if (one.kind === 'mode') await chmod(path, 0o755);
}

/** The tree that git itself records, with an index of its own that starts from nothing each time. */
async function oracle(scratch: ScratchRepository, path: string, tracked: string): Promise<string> {
  const index = join(scratch.folder, 'oracle-repo');
  await rm(index, { recursive: true, force: true });
  await scratch.git(['init', '-q', '--bare', index]);
  const at = [`--git-dir=${index}`, `--work-tree=${path}`, '-c', 'core.bare=false'];
  await scratch.git(['--git-dir', index, 'fetch', '-q', scratch.root, `${tracked}:refs/heads/tracked`]);
  await scratch.git([...at, 'read-tree', 'tracked'], path);
  await scratch.git([...at, 'add', '-A'], path);
  return scratch.git([...at, 'write-tree'], path);
}

it('F2, B12: whatever was done to the files, a snapshot is the tree that git would record, and a roll-back gives it again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(edit, { maxLength: 8 }),
      fc.array(edit, { minLength: 1, maxLength: 8 }),
      async (before, after) => {
        const scratch = await createScratchRepository({
          a: 'a\n',
          'skip/tracked': 't\n',
          '.gitignore': 'skip/\n*.log\n',
        });
        try {
          const path = join(scratch.folder, 'w');
          await openWorktree({ repo: scratch.root, path, base: scratch.base, runId: 'run_1' });
          for (const one of before) await carryOut(path, one);
          const first = await snapshot({ worktree: path, runId: 'run_1', step: 's', pass: 1, attempt: 1, keep: [] });
          expect(first.tree).toBe(await oracle(scratch, path, scratch.base));
          for (const one of after) await carryOut(path, one);
          expect((await treeState(path)).fingerprint.tree).toBe(await oracle(scratch, path, first.commit));
          await rollback({ worktree: path, to: first.commit });
          expect(await oracle(scratch, path, first.commit)).toBe(first.tree);
          expect(await treeState(path)).toMatchObject({ fingerprint: { tree: first.tree }, count: 0 });
        } finally {
          await scratch.remove();
        }
      },
    ),
    { numRuns: 6, endOnFailure: true },
  );
});

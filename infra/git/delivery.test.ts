import { writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeliveryResult } from '#core/workspace/delivery-result.ts';
import { type BranchDelivery, deliver, deliverBranch, deliverCommit } from '#infra/git/delivery.ts';
import { createScratchRepository, type ScratchRepository, writeFiles } from '#infra/git/scratch-repository.ts';
import { snapshot } from '#infra/git/snapshot.ts';
import { openWorktree } from '#infra/git/worktree.ts';

let scratch: ScratchRepository;
let delivery: BranchDelivery;

beforeEach(async () => {
  scratch = await createScratchRepository({ 'a.txt': 'a\n' });
  const path = join(scratch.folder, 'runs', 'run_1');
  await openWorktree({ repo: scratch.root, path, base: scratch.base, runId: 'run_1' });
  await writeFiles(path, { 'a.txt': 'done\n', 'new.txt': 'new\n' });
  const { tree } = await snapshot({ worktree: path, runId: 'run_1', step: 'work', pass: 1, attempt: 1, keep: [] });
  const author = { name: 'Setpoint', email: 'setpoint@example.org', at: '2030-01-02T03:04:05+00:00' };
  delivery = {
    repo: scratch.root,
    runId: 'run_1',
    base: scratch.base,
    snapshotTree: tree,
    message: 'Ünïcode\n\nBody',
    author,
    branch: 'setpoint/run_1',
  };
});
afterEach(() => scratch.remove());

describe('G1, G2: local delivery', () => {
  it('G1: none leaves nothing', async () => {
    expect(await deliver({ mode: 'none' })).toEqual({ kind: 'none' });
  });

  it('G2: one commit on the base with exactly the judged tree, our message and author', async () => {
    const done = DeliveryResult.parse(await deliver({ mode: 'commit', ...delivery }));
    expect(done).toMatchObject({
      kind: 'delivered',
      mode: 'commit',
      tree: delivery.snapshotTree,
      ref: 'refs/setpoint/run_1/delivered',
      adopted: false,
    });
    expect(await scratch.git(['log', '--format=%P|%T|%an|%ae|%aI|%cn|%B', '-1', 'refs/setpoint/run_1/delivered'])).toBe(
      `${scratch.base}|${delivery.snapshotTree}|Setpoint|setpoint@example.org|2030-01-02T03:04:05+00:00|Setpoint|Ünïcode\n\nBody\n`,
    );
    expect(await scratch.git(['for-each-ref', '--format=%(refname)', 'refs/heads'])).toBe('refs/heads/main');
  });

  it('G2: run twice, or from nothing again, it is the same commit', async () => {
    const first = await deliverCommit(delivery);
    expect(await deliverCommit({ ...delivery, author: { ...delivery.author, at: '2031-01-01T00:00:00Z' } })).toEqual({
      ...first,
      adopted: true,
    });
    await scratch.git(['update-ref', '-d', 'refs/setpoint/run_1/delivered']);
    expect(await deliverCommit(delivery)).toEqual(first);
  });

  it('G2: two at once are one', async () => {
    const both = await Promise.all([deliverBranch(delivery), deliverBranch(delivery)]);
    expect(both.map((one) => (one.kind === 'delivered' ? String(one.adopted) : one.kind)).toSorted()).toEqual([
      'false',
      'true',
    ]);
    expect(new Set(both.map((one) => (one.kind === 'delivered' ? one.commit : undefined))).size).toBe(1);
  });

  it('G1: the branch is made at that commit; there already, it is adopted', async () => {
    const done = await deliver({ mode: 'branch', ...delivery });
    expect(done).toMatchObject({ kind: 'delivered', mode: 'branch', branch: 'setpoint/run_1', adopted: false });
    expect(await scratch.git(['rev-parse', 'setpoint/run_1^{tree}'])).toBe(delivery.snapshotTree);
    expect(await deliverBranch(delivery)).toEqual({ ...done, adopted: true });
  });

  it('G2: a branch of that name at another commit is a fault and is not moved', async () => {
    await scratch.git(['branch', 'setpoint/run_1', 'main']);
    await expect(deliverBranch(delivery)).rejects.toMatchObject({ code: 'delivery/branch-exists' });
    expect(await scratch.git(['rev-parse', 'setpoint/run_1'])).toBe(scratch.base);
  });

  it('G2: a branch in the way of the name, or a name that git refuses, is a fault with the reason', async () => {
    await scratch.git(['branch', 'setpoint', 'main']);
    await expect(deliverBranch(delivery)).rejects.toMatchObject({ code: 'delivery/branch-exists' });
    await expect(deliverBranch({ ...delivery, branch: 'a..b' })).rejects.toMatchObject({
      code: 'delivery/branch-exists',
    });
  });

  it('E1: the base’s own tree is nothing to deliver, and leaves nothing', async () => {
    const snapshotTree = await scratch.git(['rev-parse', `${scratch.base}^{tree}`]);
    expect(await deliverBranch({ ...delivery, snapshotTree })).toEqual({
      kind: 'nothing_to_deliver',
      base: scratch.base,
    });
    expect(await scratch.git(['for-each-ref', 'refs/setpoint/run_1/delivered', 'refs/heads/setpoint'])).toBe('');
  });

  it('G2: a later verified tree replaces the delivered commit', async () => {
    const first = await deliverCommit(delivery);
    const base = await scratch.git(['rev-parse', 'refs/setpoint/run_1/delivered']);
    const next = await deliverCommit({
      ...delivery,
      base,
      snapshotTree: await scratch.git(['rev-parse', `${scratch.base}^{tree}`]),
    });
    expect(next).toMatchObject({ kind: 'delivered', adopted: false });
    expect(next).not.toEqual(first);
  });

  it('G2, F6: no hook and no signing program runs', async () => {
    for (const name of ['reference-transaction', 'pre-commit', 'post-commit', 'commit-msg']) {
      await writeFile(join(scratch.root, '.git', 'hooks', name), `#!/bin/sh\ntouch ${scratch.folder}/PWN\n`, {
        mode: 0o755,
      });
    }
    await scratch.git(['config', 'commit.gpgSign', 'true']);
    await scratch.git(['config', 'gpg.program', `touch ${scratch.folder}/PWN`]);
    await deliverBranch(delivery);
    expect(existsSync(join(scratch.folder, 'PWN'))).toBe(false);
  });
});

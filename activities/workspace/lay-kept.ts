import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptFiles } from '#core/contract/activities.ts';
import { Fault } from '#core/contract/fault.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { excludeKept, trackedAt } from '#infra/git/kept-files.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { writeInside } from '#infra/sandbox/write-inside.ts';

/**
 * Lays the files that the last run kept into a fresh worktree (D-23), and leaves them out of its snapshots. What the base has
 * of its own is not touched. Returns notes about what was not laid. Safe to run twice. Faults: of `excludeKept`, `store/*`.
 */
export async function layKept(
  deps: Pick<HostDeps, 'artifacts' | 'kept'>,
  worktree: string,
  kept: KeptFiles,
): Promise<string[]> {
  await excludeKept(worktree, kept.globs);
  const files = await deps.kept.find(kept);
  if (files.length === 0) return [];
  const tracked = await trackedAt(
    worktree,
    files.map(({ path }) => path),
  );
  const notes: string[] = [];
  for (const { path, sha256, executable } of files) {
    const content = tracked.has(path) ? undefined : await contentOf(deps.artifacts, sha256);
    if (content === undefined) {
      const why = tracked.has(path) ? 'the base has it' : 'its content is no longer in the store';
      notes.push(`${path}, which the last run kept, was not laid in: ${why}.`);
      continue;
    }
    const place = join(worktree, path);
    await writeInside(worktree, place, content);
    await chmod(place, executable ? 0o755 : 0o644);
  }
  return summed(notes);
}

async function contentOf(artifacts: ArtifactStore, sha256: string): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of await artifacts.read(sha256)) parts.push(Buffer.from(part));
  } catch (error) {
    if (error instanceof Fault && error.code === 'store/artifact-missing') return undefined;
    throw error;
  }
  return Buffer.concat(parts);
}

const mostNotes = 5;

function summed(notes: readonly string[]): string[] {
  if (notes.length <= mostNotes) return [...notes];
  return [...notes.slice(0, mostNotes), `${notes.length - mostNotes} more kept files were not laid in.`];
}

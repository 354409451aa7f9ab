import { join } from 'node:path';
import type { AttemptInput } from '#core/contract/activities.ts';
import { openFolder } from '#activities/artifacts/folder.ts';
import type { Ran } from '#activities/attempt/ran.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { withStoreFaults } from '#infra/artifacts/store-fault.ts';
import { writeInside } from '#infra/sandbox/write-inside.ts';

/**
 * Writes the files that a step's `output` names into the run's folder of artifacts (D-07), in place of what an attempt before
 * wrote there, before anything reads them. Faults: `store/*`.
 */
export async function layOutputs(
  deps: Pick<HostDeps, 'home' | 'artifacts'>,
  input: AttemptInput,
  ran: Ran,
): Promise<void> {
  const { artifacts: folder } = input.workspace;
  const { artifact, errorsArtifact } = input.step.output ?? {};
  if (folder === undefined) return;
  // An attempt that goes on after its process may find it gone.
  await openFolder(deps, folder);
  for (const [path, sha256] of [
    [artifact, ran.streams?.stdout],
    [errorsArtifact, ran.streams?.stderr],
  ] as const) {
    if (path === undefined || sha256 === undefined) continue;
    const output = await deps.artifacts.read(sha256);
    await withStoreFaults(`writing the output ${path}`, () =>
      writeInside(folder.path, join(folder.path, path), output, 0o644),
    );
  }
}

import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArtifactsFolder } from '#core/contract/activities.ts';
import { ArtifactsList } from '#core/contract/artifact.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { artifactsOf } from '#activities/workspace/places.ts';
import { look } from '#infra/git/files.ts';
import { withStoreFaults } from '#infra/artifacts/store-fault.ts';
import { writeInside } from '#infra/sandbox/write-inside.ts';

type Deps = Pick<HostDeps, 'home' | 'artifacts'>;

/**
 * The run's folder of artifacts (D-06), with what the last attempt left in it where somebody deleted it or the run has come
 * to another host. Returns the folders that its processes may write: its own, and that of the run that called it when that
 * one works on this host. Faults: `store/*`.
 */
export async function openFolder(deps: Deps, folder: ArtifactsFolder): Promise<string[]> {
  if ((await look(folder.path))?.isDirectory() !== true) {
    await withStoreFaults('laying the folder of artifacts', () => layFolder(deps, folder));
  }
  const parent = folder.parent === undefined ? undefined : artifactsOf(deps.home, folder.parent);
  const isThere = parent !== undefined && (await look(parent))?.isDirectory() === true;
  return [folder.path, ...(isThere ? [parent] : [])];
}

/** Laid beside it and moved into place, so that a folder that is there is whole. */
async function layFolder({ artifacts }: Deps, { path, kept }: ArtifactsFolder): Promise<void> {
  const beside = `${path}.laying`;
  await rm(beside, { recursive: true, force: true });
  await mkdir(beside, { recursive: true });
  const list =
    kept === undefined ? { files: [] } : ArtifactsList.parse(JSON.parse(await artifacts.readText(kept.sha256)));
  for (const file of list.files) {
    const mode = file.executable ? 0o755 : 0o644;
    await writeInside(beside, join(beside, file.path), await artifacts.read(file.sha256), mode);
  }
  await mkdir(dirname(path), { recursive: true });
  await rename(beside, path);
}

/** What processes of the run are told of the folder, and may write. */
export interface FolderFound {
  env: Record<string, string>;
  writable: string[];
}

export async function folderFor(deps: Deps, folder: ArtifactsFolder | undefined): Promise<FolderFound> {
  if (folder === undefined) return { env: {}, writable: [] };
  return { env: { SETPOINT_ARTIFACTS_DIR: folder.path }, writable: await openFolder(deps, folder) };
}

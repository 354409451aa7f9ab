import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeepFilesInput } from '#core/contract/activities.ts';
import { Fault } from '#core/contract/fault.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { hiddenSecrets } from '#activities/secrets.ts';
import { asTask } from '#activities/task.ts';
import { untrackedFiles } from '#infra/git/kept-files.ts';
import type { KeptFile } from '#infra/postgres/kept-file-store.ts';

const most = { files: 10_000, bytes: 64 * 1024 * 1024 };

/**
 * Keeps what the next run of the same project and name begins with (D-23): files of the workspace that git does not track.
 * The last run wins. In a given checkout (F4) the files simply stay, so there is nothing to keep. Safe to run twice.
 * Faults: `workspace/kept-too-large`, of `untrackedFiles`, `store/*`.
 */
export function keepFiles(deps: HostDeps, input: KeepFilesInput): Promise<{ files: number }> {
  return asTask(deps, `${input.runId}/@keep`, async (task) => {
    const { workspace, globs, project, name, runId } = input;
    if (!workspace.plan.worktree) return { files: 0 };
    const found = await untrackedFiles(workspace.path, globs);
    const bytes = found.reduce((sum, file) => sum + file.bytes, 0);
    if (found.length > most.files || bytes > most.bytes) {
      const size = `${found.length} files of ${Math.ceil(bytes / 1024 / 1024)} MiB`;
      throw new Fault(
        'workspace/kept-too-large',
        `keepBetweenRuns names ${size}; at most ${most.files} files of 64 MiB together are kept. Name fewer.`,
      );
    }
    const secrets = hiddenSecrets(deps.environment, await persist(() => deps.secrets.known(runId), task.signal));
    const files: KeptFile[] = [];
    for (const { path } of found) {
      const kept = await stored(deps, { root: workspace.path, path }, secrets);
      if (kept !== undefined) files.push(kept);
    }
    await persist(() => deps.kept.put({ project, name, runId, files }), task.signal);
    return { files: files.length };
  });
}

/** Content as it is now, secrets hidden (H4); undefined when it is no plain file any more. */
async function stored(
  { artifacts }: Pick<HostDeps, 'artifacts'>,
  { root, path }: { root: string; path: string },
  secrets: readonly Secret[],
): Promise<KeptFile | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // A pipe or a link in its place is neither waited for nor followed.
  const file = await open(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const writer = artifacts.openArtifact({ secrets });
    writer.write(await file.readFile());
    const { sha256, bytes } = await writer.finish();
    return { path, sha256, bytes, executable: (stats.mode & constants.S_IXUSR) !== 0 };
  } finally {
    await file.close();
  }
}

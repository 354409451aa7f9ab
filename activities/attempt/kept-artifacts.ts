import type { AttemptInput } from '#core/contract/activities.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import { keepFolder } from '#activities/artifacts/keep-folder.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { hiddenSecrets } from '#activities/secrets.ts';
import type { Task } from '#activities/task.ts';

/** D-06: the run's folder of artifacts is kept with each attempt, as its tree is. Faults: `store/*`. */
export async function keptArtifacts(
  deps: HostDeps,
  { workspace, key }: AttemptInput,
  task: Task,
): Promise<{ result: Pick<AttemptResult, 'artifacts'>; findings: string[] }> {
  const { artifacts: folder } = workspace;
  if (folder === undefined) return { result: {}, findings: [] };
  const hidden = hiddenSecrets(deps.environment, await persist(() => deps.secrets.known(key.runId), task.signal));
  const kept = await keepFolder(deps, { path: folder.path, before: folder.kept, hidden });
  if (kept.kind === 'kept') return { result: { artifacts: kept.list }, findings: [] };
  return { result: {}, findings: [kept.finding] };
}

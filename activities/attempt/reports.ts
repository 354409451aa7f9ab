import type { AttemptInput } from '#core/contract/activities.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { Place } from '#activities/attempt/prepare.ts';
import type { Ran } from '#activities/attempt/ran.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { hiddenSecrets } from '#activities/secrets.ts';
import type { Task } from '#activities/task.ts';
import { putText } from '#activities/texts.ts';
import { readInside, removeInside } from '#infra/sandbox/read-inside.ts';

/** The agent's own word is a small file. */
const mostBytes = 1024 * 1024;

/** B7: reports of an earlier pass, or of the base, are not this pass's. */
export async function removeReports(root: string, files: AttemptInput['reportFiles'] = []): Promise<void> {
  for (const file of files) await removeInside(root, file);
}

interface Performed {
  ran: Ran;
  place: Pick<Place, 'path'>;
  task: Task;
}

/** B7: what an attempt reported, kept with the stage of its process; the files are removed before the snapshot. */
export async function withReports(
  deps: HostDeps,
  { reportFiles = [], key }: AttemptInput,
  { ran, place, task }: Performed,
): Promise<Ran> {
  if (reportFiles.length === 0 || ran.end.kind === 'cancelled') return ran;
  const hidden = hiddenSecrets(deps.environment, await persist(() => deps.secrets.known(key.runId), task.signal));
  const reports: Record<string, ArtifactRef> = {};
  const findings: string[] = [];
  for (const file of reportFiles) {
    const read = await readInside(place.path, file, mostBytes);
    if (read.kind === 'file') reports[file] = await putText(deps.artifacts, read.bytes.toString('utf8'), hidden);
    else if (read.kind !== 'absent') findings.push(`report_unreadable: ${file} is ${why[read.kind]}`);
  }
  return { ...ran, reports, findings: [...ran.findings, ...findings] };
}

const why = { not_a_file: 'no plain file', too_large: 'larger than 1 MiB' } as const;

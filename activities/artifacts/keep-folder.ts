import { constants } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArtifactRef, ArtifactsList } from '#core/contract/artifact.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { isAbsent, look } from '#infra/git/files.ts';
import { errorCode } from '#infra/process/error-code.ts';
import { openFileInside } from '#infra/sandbox/open-inside.ts';

/** `path`: bytes of a path in the folder; it is to fit where it is laid in again, too. */
const most = { files: 10_000, bytes: 64 * 1024 * 1024, path: 2_000 };

/** `tooLarge`: why nothing was kept. */
export type FolderKept = { kind: 'kept'; list: ArtifactRef; files: number } | { kind: 'tooLarge'; finding: string };

type KeptFile = ArtifactsList['files'][number];

interface Keeping {
  path: string;
  /** What was kept before: a file that has not changed since is not read again. */
  before?: ArtifactRef | undefined;
  hidden: readonly Secret[];
}

/**
 * Keeps the files of a run's folder of artifacts in the store, secrets hidden (H4): its evidence, and what another host or a
 * fork begins with. Links are left out and none is followed, and so is what cannot be read, or lies deeper than a path of 2,000 bytes. More than 64 MiB or 10,000 files are not kept. Faults: `store/*`.
 */
export async function keepFolder({ artifacts }: Pick<HostDeps, 'artifacts'>, keeping: Keeping): Promise<FolderKept> {
  const paths = await filesUnder(keeping.path);
  if (paths.length > most.files) return tooLarge(`${paths.length} files`);
  const known = await knownOf(artifacts, keeping.before);
  const files: KeptFile[] = [];
  let bytes = 0;
  for (const path of paths) {
    const left = most.bytes - bytes;
    const kept = await keepFile(artifacts, { ...keeping, file: path, known: known.get(path), left });
    if (kept === 'tooLarge') return tooLarge(`more than ${most.bytes / 1024 / 1024} MiB`);
    if (kept === undefined) continue;
    files.push(kept);
    bytes += kept.bytes;
  }
  const { sha256, bytes: size } = await artifacts.putText(JSON.stringify({ files } satisfies ArtifactsList));
  return { kind: 'kept', list: { sha256, bytes: size, excerpt: '' }, files: files.length };
}

function tooLarge(size: string): FolderKept {
  const rule = `at most ${most.files} files of 64 MiB together are kept`;
  return {
    kind: 'tooLarge',
    finding: `artifacts_not_kept: the folder of artifacts holds ${size}, and ${rule}: on another host, in a fork and after a clean-up it begins as it was before`,
  };
}

async function knownOf(artifacts: HostDeps['artifacts'], before: ArtifactRef | undefined) {
  if (before === undefined) return new Map<string, KeptFile>();
  const { files } = ArtifactsList.parse(JSON.parse(await artifacts.readText(before.sha256)));
  return new Map(files.map((file) => [file.path, file]));
}

/** A step makes folders as it likes, locked ones too. */
const unreadable = ['EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'];

/** Plain files by path, in the order of their names; a file that goes away meanwhile is none. */
async function filesUnder(root: string, folder = ''): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error) || unreadable.includes(errorCode(error) ?? '')) return [];
    throw error;
  });
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (Buffer.byteLength(path) > most.path) continue;
    if (entry.isFile()) found.push(path);
    else if (entry.isDirectory()) found.push(...(await filesUnder(root, path)));
    if (found.length > most.files) break;
  }
  return found;
}

interface KeepingFile extends Keeping {
  file: string;
  known: KeptFile | undefined;
  left: number;
}

async function keepFile(
  artifacts: HostDeps['artifacts'],
  { path: root, file: path, known, left, hidden }: KeepingFile,
): Promise<KeptFile | 'tooLarge' | undefined> {
  const stats = await look(join(root, path)).catch((error: unknown) => {
    if (unreadable.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  });
  if (stats?.isFile() !== true) return undefined;
  if (stats.size > left) return 'tooLarge';
  if (known !== undefined && known.changedMs === stats.ctimeMs) return known;
  const file = await openFileInside(root, path);
  if (file === undefined) return undefined;
  try {
    const writer = artifacts.openArtifact({ secrets: hidden });
    for await (const part of file.createReadStream({ autoClose: false, end: left })) writer.write(part as Buffer);
    const { sha256, bytes } = await writer.finish();
    const executable = (stats.mode & constants.S_IXUSR) !== 0;
    return { path, sha256, bytes, executable, changedMs: stats.ctimeMs };
  } finally {
    await file.close();
  }
}

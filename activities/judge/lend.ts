import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { excludeKept, trackedAt } from '#infra/git/kept-files.ts';
import { kindInside, removeInside } from '#infra/sandbox/read-inside.ts';

/** Something of the workspace, and where a command in another checkout sees it. */
export interface Provided {
  from: string;
  at: string;
}

export type Lent = { kind: 'lent'; provided: Provided[] } | { kind: 'impossible'; reason: string };

interface Lending {
  /** The run's workspace, and the repository that it is of: the first that has a path lends it. */
  from: readonly string[];
  /** A clean checkout of the same repository. */
  to: string;
  paths: readonly string[];
  /** True where the sandbox can show a folder at another place; else it is linked, and nothing keeps it from being written. */
  mounts: boolean;
}

/**
 * B3: lends ignored files and folders of the workspace to a clean checkout. What git has there is not covered, and no link of
 * the workspace is followed: it could name anything of the host.
 */
export async function lend({ from, to, paths, mounts }: Lending): Promise<Lent> {
  const provided: Provided[] = [];
  const tracked = await trackedAt(to, paths);
  for (const path of paths) {
    const source = await firstWith(from, path);
    if (source === undefined) return impossible(path, 'the workspace does not have it: let `workspace.setup` make it');
    if (source.kind === 'not_real') return impossible(path, `in ${source.root} it is no real file or folder`);
    if (tracked.has(path)) return impossible(path, 'git tracks it, so the checkout has its own: leave it out');
    // A judging that was broken off may have left its place.
    await removeInside(to, path);
    const place = { from: join(source.root, path), at: join(to, path) };
    await mkdir(dirname(place.at), { recursive: true });
    if (mounts) await makePlace(place.at, source.kind);
    else await symlink(place.from, place.at);
    provided.push(place);
  }
  await excludeKept(to, paths);
  return { kind: 'lent', provided: mounts ? provided : [] };
}

type Source = { root: string; kind: Exclude<Awaited<ReturnType<typeof kindInside>>, 'absent'> };

async function firstWith(roots: readonly string[], path: string): Promise<Source | undefined> {
  for (const root of roots) {
    const kind = await kindInside(root, path);
    if (kind !== 'absent') return { root, kind };
  }
  return undefined;
}

function makePlace(at: string, kind: 'file' | 'folder'): Promise<unknown> {
  return kind === 'folder' ? mkdir(at) : writeFile(at, '');
}

function impossible(path: string, why: string): Lent {
  return { kind: 'impossible', reason: `it cannot be given ${path}: ${why}` };
}

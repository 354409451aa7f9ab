import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

export type FoundExecutable =
  | { kind: 'found'; path: string }
  | { kind: 'not_found' }
  | { kind: 'not_executable'; path: string };

/** Finds a program as a shell would: a name on PATH, anything with a slash from `cwd`. Told apart as 127 and 126 are (B10). */
export function findExecutable(name: string, where: { path: string; cwd: string }): FoundExecutable {
  const candidates = name.includes('/')
    ? [resolve(where.cwd, name)]
    : where.path
        .split(':')
        .filter((folder) => isAbsolute(folder))
        .map((folder) => join(folder, name));
  let blocked: string | undefined;
  for (const path of candidates) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    if (stat.isFile() && isExecutable(path)) return { kind: 'found', path };
    blocked ??= path;
  }
  return blocked === undefined ? { kind: 'not_found' } : { kind: 'not_executable', path: blocked };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

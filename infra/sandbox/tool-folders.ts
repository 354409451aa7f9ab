import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';

/**
 * Folders to bind so that the tools on PATH work: each PATH folder, and the installation that it belongs to when it
 * is one (`<prefix>/bin` beside `<prefix>/lib`). A home, or `.local` in one, is never bound whole, because
 * credentials live there.
 */
export function toolFolders(path: string, home: string | undefined, executable: string): string[] {
  const folders = new Set<string>();
  for (const folder of path.split(':')) {
    if (!isAbsolute(folder) || isSystemFolder(folder) || !existsSync(folder)) continue;
    for (const found of installation(folder, home)) folders.add(found);
  }
  for (const found of foldersOfExecutable(executable, folders)) folders.add(found);
  return [...folders];
}

function isSystemFolder(folder: string): boolean {
  return /^\/(?:usr|opt|bin|sbin|nix)(?:\/|$)/.test(folder);
}

function installation(folder: string, home: string | undefined): string[] {
  const prefix = dirname(folder);
  const isInstallation = existsSync(join(prefix, 'lib')) || existsSync(join(prefix, 'libexec'));
  if (!isInstallation || prefix === '/' || isHomeLike(prefix, home)) return [folder];
  return [prefix];
}

function isHomeLike(prefix: string, home: string | undefined): boolean {
  return (
    prefix === home || prefix === '/root' || /^\/(?:home|Users)\/[^/]+$/.test(prefix) || basename(prefix) === '.local'
  );
}

/** A program may be a link into a folder that is not on PATH: its real folder is needed too. */
function foldersOfExecutable(executable: string, bound: ReadonlySet<string>): string[] {
  if (!isAbsolute(executable) || !existsSync(executable)) return [];
  const folders = [dirname(executable), dirname(realpathSync(executable))];
  return folders.filter((folder) => !isSystemFolder(folder) && ![...bound].some((known) => isInside(folder, known)));
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

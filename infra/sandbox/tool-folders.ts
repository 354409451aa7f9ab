import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { SandboxRequest } from '#infra/sandbox/sandbox.ts';

/**
 * Folders to bind so that the tools on PATH work: each PATH folder, and the installation that it belongs to when it
 * is one (`<prefix>/bin` beside `<prefix>/lib`). A home, or `.local` in one, is never bound whole, because
 * credentials live there. What lies in folders that the command may write is left out: a link that an agent put
 * there must not open another folder of the host.
 */
export function toolFolders(request: SandboxRequest): string[] {
  const { env, workspace, writable, argv } = request;
  const agentOwned = [workspace.path, ...writable];
  const isOurs = (folder: string) => isAbsolute(folder) && !isSystemFolder(folder) && !isInsideAny(folder, agentOwned);
  const onPath = (env['PATH'] ?? '').split(':').filter((folder) => isOurs(folder) && existsSync(folder));
  const folders = onPath.flatMap((folder) => installation(folder, env['HOME']));
  const executable = argv[0];
  // A program may be a link into a folder that is not on PATH: its real folder is needed too.
  if (isOurs(executable) && existsSync(executable)) {
    const real = realpathSync(executable);
    folders.push(dirname(executable), packagesAround(real) ?? dirname(real));
  }
  const outermost = folders.filter(
    (folder) => !isSystemFolder(folder) && !folders.some((other) => other !== folder && isInside(folder, other)),
  );
  return [...new Set(outermost)];
}

function isSystemFolder(folder: string): boolean {
  return /^\/(?:usr|opt|bin|sbin|nix)(?:\/|$)/.test(folder);
}

/** A program of an npm package loads other packages: the outermost `node_modules` around it holds them all. */
function packagesAround(path: string): string | undefined {
  const [outside, ...inside] = path.split('/node_modules/');
  return inside.length === 0 ? undefined : `${outside}/node_modules`;
}

function installation(folder: string, home: string | undefined): string[] {
  const packages = packagesAround(folder);
  if (packages !== undefined) return [packages];
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

function isInsideAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

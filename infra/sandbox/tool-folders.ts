import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { SandboxRequest } from '#infra/sandbox/sandbox.ts';

/**
 * What to bind so that the tools on PATH and the program itself work: each PATH folder, and the installation that it
 * belongs to when it is one (`<prefix>/bin` beside `<prefix>/lib`). A program that lies elsewhere is bound with its
 * folder only when that is one of tools; a lone file is bound as a file. No home is ever bound, nor what holds one, nor
 * the folders of a home that hold credentials. What lies in folders that the command may write is left out: a link
 * that an agent put there must not open another folder of the host.
 */
export function toolFolders(request: SandboxRequest): string[] {
  const { env, workspace, writable, argv } = request;
  const agentOwned = [workspace.path, ...writable];
  const homes = [homedir(), env['HOME']].flatMap((home) => (home === undefined || home === '' ? [] : withReal(home)));
  const isOurs = (path: string) => isAbsolute(path) && !isSystemFolder(path) && !isInsideAny(path, agentOwned);
  const mayBind = (folder: string) => withReal(folder).every((path) => !isPrivate(path, homes));
  const onPath = (env['PATH'] ?? '').split(':').filter((folder) => isOurs(folder) && existsSync(folder));
  const found = onPath.map((folder) => installation(folder, mayBind)).filter(mayBind);
  const executable = argv[0];
  // A program may be a link to a place that is not on PATH: it is needed too.
  const programs = isOurs(executable) && existsSync(executable) ? withReal(executable) : [];
  found.push(...programs.map((path) => around(path, mayBind)));
  const outermost = found.filter(
    (path) => !isSystemFolder(path) && !found.some((other) => other !== path && isInside(path, other)),
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

function installation(folder: string, mayBind: (folder: string) => boolean): string {
  const packages = packagesAround(folder);
  if (packages !== undefined) return packages;
  const prefix = dirname(folder);
  const isInstallation = existsSync(join(prefix, 'lib')) || existsSync(join(prefix, 'libexec'));
  return isInstallation && mayBind(prefix) ? prefix : folder;
}

/** Folders in which programs lie with what they load; any other may hold whatever its owner put there. */
const ofTools = /\/(?:s?bin|\.bin|libexec|versions|Cellar)(?:\/|$)|\/\.local\/(?:share|lib)\/[^/]+/;

function around(program: string, mayBind: (folder: string) => boolean): string {
  const folder = packagesAround(program) ?? dirname(program);
  const isTool = folder !== dirname(program) || ofTools.test(folder);
  return isTool && mayBind(folder) ? folder : program;
}

/** A home, what holds one, and the folders in one where credentials live. */
function isPrivate(folder: string, homes: readonly string[]): boolean {
  return (
    homes.some((home) => isInside(home, folder)) ||
    /^\/(?:root|home|Users|home\/[^/]+|Users\/[^/]+)?$/.test(folder) ||
    basename(folder) === '.local' ||
    /\/\.local\/(?:share|state)$|\/\.(?:config|ssh|aws|gnupg|docker|kube)$/.test(folder)
  );
}

function withReal(path: string): string[] {
  const real = existsSync(path) ? realpathSync(path) : path;
  return real === path ? [path] : [path, real];
}

function isInsideAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isInside(path, folder));
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

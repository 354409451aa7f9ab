import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import type { Sandbox, SandboxRequest } from '#infra/sandbox/sandbox.ts';
import { toolFolders } from '#infra/sandbox/tool-folders.ts';
import { worktreeGitOf } from '#infra/sandbox/worktree-git.ts';

const systemFolders = ['/usr', '/opt', '/nix', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/**
 * Only what programs need to start, to resolve names and to trust certificates; nothing that holds a secret. Each entry is
 * a mount, and each mount costs about 0.15 ms a command.
 */
const systemSettings = [
  'alternatives',
  'ca-certificates',
  'fonts',
  'gitconfig',
  'group',
  'hosts',
  'java',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'maven',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'pki',
  'protocols',
  'python3',
  'resolv.conf',
  'services',
  'ssl',
  'timezone',
].map((name) => `/etc/${name}`);

/** What the holder says on fd 3 once the sandbox stands, before it starts the command. */
export const heldStarted = 'started';

/**
 * The shell that stands between the namespace and the command. It says the exit code on fd 3 and waits there, so that
 * the host can list and kill what the command left behind; the namespace would otherwise vanish with its evidence.
 * Before, it says that it started: what comes after that, its own death by the command's hand too, is the command's doing.
 * If the host dies, the read sees the end of the file and the namespace ends.
 */
const holder = [
  `echo ${heldStarted} >&3`,
  'exec 5>&2 2>/dev/null',
  // In a subshell, so that the shell's own remark on a killed command goes nowhere.
  '(exec "$@" 2>&5 3>&- 5>&-)',
  'code=$?',
  'exec 0</dev/null 1>/dev/null 5>&-',
  'echo "$code" >&3',
  'read -r _ <&3',
].join('\n');

export interface BwrapOptions {
  /** Absolute path of the bwrap program. */
  program: string;
  /** Forbids user namespaces inside; versions before 0.8 do not know the flag. */
  disableUserNamespaces: boolean;
}

/**
 * The bubblewrap driver: a pid namespace of its own, a read-only system, a writable workspace, death with the worker.
 * Inside, the command has no capability and is an ordinary user even when the host's user is root; files that it
 * writes belong to the host's user.
 */
export function bwrapSandbox(options: BwrapOptions): Sandbox {
  const system = systemArguments();
  const identity = identityArguments();
  return {
    kind: 'bwrap',
    launch: (request) => ({
      argv: [
        options.program,
        ...isolation(options, request.network),
        ...identity,
        ...system,
        ...mounts(request),
        ...loaderVariables(request.env),
        '--chdir',
        request.cwd,
        '--',
        '/bin/sh',
        '-c',
        holder,
        'setpoint',
        ...request.argv,
      ],
      cwd: '/',
      held: true,
    }),
  };
}

function isolation(options: BwrapOptions, network: boolean): string[] {
  return [
    '--unshare-user',
    ...(options.disableUserNamespaces ? ['--disable-userns'] : []),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
  ];
}

function identityArguments(): string[] {
  const user = process.getuid?.() ?? 0;
  const group = process.getgid?.() ?? 0;
  return ['--uid', String(user === 0 ? 1000 : user), '--gid', String(user === 0 ? 1000 : group)];
}

function systemArguments(): string[] {
  const folders = systemFolders.filter((path) => existsSync(path));
  const settings = systemSettings.filter((path) => existsSync(path));
  return [
    ...folders.flatMap(folderArguments),
    ...settings.flatMap((path) => ['--ro-bind', path, path]),
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    '--tmpfs',
    '/var/tmp',
    '--dir',
    '/run',
  ];
}

/** `/bin` and the like are links into `/usr` on most systems: a link inside is cheaper than a mount. */
function folderArguments(path: string): string[] {
  const isLink = lstatSync(path).isSymbolicLink();
  return isLink ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

function mounts(request: SandboxRequest): string[] {
  const { workspace } = request;
  const git = worktreeGitOf(workspace.path);
  const read = [...toolFolders(request), ...git.folders, ...request.readable];
  const readable = read.filter((path) => !isSystem(path)).flatMap((path) => ['--ro-bind-try', path, path]);
  const covered = git.covered.flatMap(({ path, shown }) => ['--ro-bind', shown, path]);
  // What may be written comes last: a later mount covers an earlier one.
  const own = [workspace.access === 'write' ? '--bind' : '--ro-bind', workspace.path, workspace.path];
  return [
    ...readable,
    ...covered,
    ...own,
    ...(request.provided ?? []).flatMap(({ from, at }) => ['--ro-bind', from, at]),
    ...request.writable.flatMap((path) => ['--bind', path, path]),
    '--remount-ro',
    '/',
  ];
}

function isSystem(path: string): boolean {
  return path === '/' || systemFolders.includes(path) || systemFolders.includes(`/${path.split('/')[1] ?? ''}`);
}

/**
 * The loader's variables of the host side are emptied by `hostEnvironment`, because a library that an agent wrote
 * must not be loaded into bwrap itself, outside the sandbox. The command inside gets them here.
 */
function loaderVariables(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (isLoaderVariable(name) ? ['--setenv', name, value] : []));
}

/** True for variables that make the dynamic loader run code of the caller's choice. */
export function isLoaderVariable(name: string): boolean {
  return name.startsWith('LD_') || name.startsWith('DYLD_') || name === 'GCONV_PATH';
}

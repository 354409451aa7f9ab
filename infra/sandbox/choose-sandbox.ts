import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { Fault } from '#core/contract/fault.ts';
import { unreachable } from '#core/exhaustive.ts';
import { findExecutable } from '#infra/process/executable.ts';
import { bwrapSandbox } from '#infra/sandbox/bwrap.ts';
import { noSandbox, type Sandbox } from '#infra/sandbox/sandbox.ts';

export type SandboxChoice = 'auto' | 'bwrap' | 'docker' | 'none';

export interface ChooseSandboxOptions {
  /** PATH of the host, on which bwrap is looked for. */
  path: string;
  /** Is told, once, when commands will run without isolation, and why. */
  warn(message: string): void;
}

const canaryMs = 5_000;
const remedy =
  'Install bubblewrap (for example: apt install bubblewrap) and allow user namespaces, or set SETPOINT_SANDBOX=none to run without isolation.';

/**
 * Picks the sandbox once, when a host starts, by running a canary in it. `auto` falls back to none with a loud
 * warning. Throws Fault `sandbox/unavailable`, with the remedy, when the one that was chosen does not work.
 */
export async function chooseSandbox(choice: SandboxChoice, options: ChooseSandboxOptions): Promise<Sandbox> {
  switch (choice) {
    case 'none':
      warnOfNone(options, 'SETPOINT_SANDBOX is none');
      return noSandbox;
    case 'docker':
      throw new Fault(
        'sandbox/unavailable',
        'The docker sandbox is not part of this version. Set SETPOINT_SANDBOX to bwrap, auto or none.',
      );
    case 'bwrap':
    case 'auto': {
      const found = await tryBwrap(options.path);
      if (found.works) return found.sandbox;
      if (choice === 'bwrap') throw new Fault('sandbox/unavailable', `${found.reason} ${remedy}`);
      warnOfNone(options, found.reason);
      return noSandbox;
    }
    default:
      return unreachable(choice);
  }
}

function warnOfNone(options: ChooseSandboxOptions, reason: string): void {
  options.warn(
    `NO SANDBOX: agents and commands run with all the rights of this user (${reason}). ` +
      `Read-only access for reviewers is not enforced. ${remedy}`,
  );
}

type Tried = { works: true; sandbox: Sandbox } | { works: false; reason: string };

async function tryBwrap(path: string): Promise<Tried> {
  if (process.platform !== 'linux') return { works: false, reason: `bwrap needs Linux; this is ${process.platform}.` };
  const found = findExecutable('bwrap', { path, cwd: '/' });
  if (found.kind !== 'found') return { works: false, reason: 'bwrap is not on PATH.' };
  let reason = '';
  for (const disableUserNamespaces of [true, false]) {
    const sandbox = bwrapSandbox({ program: found.path, disableUserNamespaces });
    reason = await canary(sandbox);
    if (reason === '') return { works: true, sandbox };
  }
  return { works: false, reason: `bwrap does not work here: ${reason}.` };
}

/** Runs a shell in the sandbox; empty when it answered, else what went wrong. */
async function canary(sandbox: Sandbox): Promise<string> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const launch = sandbox.launch({
    argv: ['/bin/sh', '-c', 'echo alive'],
    cwd: '/',
    env,
    workspace: { path: tmpdir(), access: 'read' },
    writable: [],
    readable: [],
    network: true,
  });
  const [file, ...args] = launch.argv;
  return new Promise((done) => {
    // The holder's report descriptor is absent here, so its last lines fail: only the command's own output counts.
    execFile(file, args, { cwd: launch.cwd, env, timeout: canaryMs }, (error, stdout, stderr) => {
      if (stdout.includes('alive')) done('');
      else done(stderr.trim() === '' ? String(error?.message ?? 'the canary said nothing') : stderr.trim());
    });
  });
}

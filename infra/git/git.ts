import { spawn } from 'node:child_process';
import { Fault } from '#core/contract/fault.ts';

/**
 * One call of git. `text` is how stdout is decoded: `paths` maps each byte to one character, so that a file name
 * that is no UTF-8 goes back to git unchanged.
 */
export interface GitCall {
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd: string;
  /** Written to stdin, one byte a character (see `text`), or as they are. */
  input?: string | Uint8Array;
  text?: 'utf8' | 'paths';
  /** Exit codes that are an answer and not a failure; 0 always is. */
  answers?: readonly number[];
  /** Default 120,000. */
  limitMs?: number;
  /** Stop reading (and git) after so many bytes of stdout; unlimited when absent. */
  maxBytes?: number;
}

export interface GitOutput {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** `maxBytes` was reached. */
  truncated: boolean;
}

const defaultLimitMs = 120_000;

/** Switches off whatever a repository's own configuration could make git run (F6). */
const trustNothing = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'commit.gpgSign=false',
  'diff.external=',
  'core.pager=cat',
  'protocol.ext.allow=never',
];

/** The whole environment of our git: nothing is inherited, so no `GIT_*` of the caller's can redirect a call. */
const environment: Record<string, string> = {
  PATH: '/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_ASKPASS: 'true',
  GIT_ADVICE: '0',
};

/** Where git is looked for, as a PATH; the standard folders unless a composition root says otherwise. */
export function useGitSearchPath(path: string): void {
  environment['PATH'] = path;
}

/**
 * Runs git with our environment, a time limit and no trust in any configuration (F6).
 * Throws `workspace/git-failed` with the command and what git said; `store/disk-full` when there is no space left.
 */
export async function git(call: GitCall): Promise<GitOutput> {
  const output = await run(call);
  const accepted = output.exitCode === 0 || output.truncated || call.answers?.includes(output.exitCode) === true;
  if (accepted) return output;
  throw failure(call, `exit ${output.exitCode}`, output.stderr);
}

/** As `git`, giving only stdout without its last line end. */
export async function gitLine(call: GitCall): Promise<string> {
  return (await git(call)).stdout.replace(/\n$/, '');
}

function run(call: GitCall): Promise<GitOutput> {
  const limitMs = call.limitMs ?? defaultLimitMs;
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...trustNothing.flatMap((setting) => ['-c', setting]), ...call.args], {
      cwd: call.cwd,
      env: { ...environment, ...call.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let truncated = false;
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.stdout.on('data', (chunk: Buffer) => {
      if (truncated) return;
      out.push(chunk);
      bytes += chunk.length;
      truncated = call.maxBytes !== undefined && bytes > call.maxBytes;
      if (truncated) child.kill('SIGKILL');
    });
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    // A git that ends before it has read its input breaks the pipe; its exit code says why.
    child.stdin.on('error', () => undefined);
    child.once('error', (cause) => {
      clearTimeout(timer);
      reject(cannotStart(call, cause));
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      const stderr = Buffer.concat(err).toString('utf8');
      if (late) return reject(failure(call, `not finished after ${limitMs / 1000} s and was killed`, stderr));
      const whole = Buffer.concat(out);
      const kept = truncated ? whole.subarray(0, call.maxBytes) : whole;
      resolve({
        exitCode: code ?? -1,
        stdout: kept.toString(call.text === 'paths' ? 'latin1' : 'utf8'),
        stderr,
        truncated,
      });
    });
    child.stdin.end(typeof call.input === 'string' ? Buffer.from(call.input, 'latin1') : call.input);
  });
}

function cannotStart(call: GitCall, cause: Error): Fault {
  const remedy = 'Install git 2.31 or newer in a folder of the search path, and see that the working folder exists.';
  return new Fault('workspace/git-failed', `git could not be started in ${call.cwd}: ${cause.message}. ${remedy}`, {
    cause,
  });
}

function failure(call: GitCall, how: string, stderr: string): Fault {
  const said = withoutCredentials(stderr.trim()).slice(-2_000);
  const command = withoutCredentials(`git ${call.args.join(' ')}`).slice(0, 500);
  const full = /no space left on device|disk quota exceeded/i.test(stderr);
  const message = `\`${command}\` in ${call.cwd}: ${how}${said === '' ? '' : `: ${said}`}`;
  return full
    ? new Fault('store/disk-full', `${message}. Free space on that disk.`)
    : new Fault('workspace/git-failed', message);
}

function withoutCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)[^\s/@]+@/g, '$1***@');
}

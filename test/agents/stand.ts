import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { Stack } from '#core/contract/stack.ts';
import { ScriptedModel } from '../fakes/model/server.ts';
import { programsOf, programVariables } from './installed.ts';
import { signInVariables, writeSignInFiles } from './sign-in.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = join(root, 'bin', 'setpoint.js');

/** One embedded stack whose host user is signed in to every agent, at one scripted model. */
export interface Stand {
  model: ScriptedModel;
  /** Everything that the lane writes; kept when a case failed. */
  folder: string;
  environment: NodeJS.ProcessEnv;
  /** `$SETPOINT_HOME`. */
  home: string;
  /** The command line, to its end. */
  setpoint(args: readonly string[], cwd: string): Promise<Ended>;
  /** `GET` of the API, which answers with JSON. */
  get(path: string): Promise<unknown>;
  /** `GET` of the API, as text. */
  text(path: string): Promise<string>;
  stop(keep: boolean): Promise<void>;
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Starts the model and the stack. `installed` is the folder into which the agents were installed. */
export async function startStand(installed: string): Promise<Stand> {
  // Codex refuses a home below the folder of temporary files.
  const folder = await mkdtemp(join('/var/tmp', 'setpoint-agents-'));
  const home = join(folder, 'home');
  const model = await ScriptedModel.start();
  const userHome = join(folder, 'user');
  await mkdir(userHome);
  const url = (name: string): string => model.url(name);
  await writeSignInFiles(userHome, url);
  const environment = {
    ...process.env,
    ...signInVariables(url),
    ...programVariables(installed),
    PATH: `${programsOf(installed)}:${process.env['PATH'] ?? ''}`,
    HOME: userHome,
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    SETPOINT_HOME: home,
    // `auto` would go on without a sandbox where bwrap is missing, and test something else.
    SETPOINT_SANDBOX: process.env['SETPOINT_SANDBOX'] ?? 'bwrap',
  };
  const setpoint = (args: readonly string[], cwd: string) => runToEnd(args, { cwd, env: environment });
  const stop = async (keep: boolean): Promise<void> => {
    await setpoint(['down'], folder);
    await model.stop();
    if (!keep) await rm(folder, { recursive: true, force: true });
  };
  const up = await setpoint(['up', '--detach'], folder);
  if (up.code !== 0) {
    await stop(true);
    throw new TypeError(`setpoint up exited ${up.code}: ${up.err.slice(-2000)}`);
  }
  const get = async (path: string): Promise<unknown> => JSON.parse(await getText(home, path));
  return { model, folder, environment, home, setpoint, get, text: (path) => getText(home, path), stop };
}

async function getText(home: string, path: string): Promise<string> {
  const stack = Stack.parse(JSON.parse(await readFile(join(home, 'stack.json'), 'utf8')));
  const token = (await readFile(stack.tokenFile, 'utf8')).trim();
  const response = await fetch(new URL(path, stack.url), { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new TypeError(`${path}: ${response.status} ${await response.text()}`);
  return response.text();
}

export function startSetpoint(args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  return spawn(process.execPath, [program, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function runToEnd(args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Ended> {
  const child = startSetpoint(args, options);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, out, err };
}

/** A git repository of its own in the stand, with one commit on `main`. */
export async function makeRepository(
  stand: Stand,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const folder = join(stand.folder, 'repositories', name);
  if (existsSync(folder)) throw new TypeError(`${folder} exists already`);
  await mkdir(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  await git(folder, 'add', '--all');
  await git(folder, '-c', 'user.name=Lane', '-c', 'user.email=lane@setpoint.invalid', 'commit', '-qm', 'A mistake');
  return folder;
}

/** What git printed, trimmed. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const child = spawn('git', ['-C', folder, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new TypeError(`git ${args.join(' ')} exited ${code}: ${err}`);
  return out.trim();
}

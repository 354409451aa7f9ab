import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Stack, type StackRole } from '#core/contract/stack.ts';
import { freePort } from '#infra/stack/free-port.ts';
import { readStack } from '#infra/stack/stack-file.ts';
import { type SharedServer, sharedServer } from '../integration/run-folder.ts';
import { type CliEnded, type CliOptions, jsonRun, type JsonRun, runCli, type RunningCli, startCli } from './cli.ts';
import { createRepository, type Files, type Repository, writeFiles } from './repository.ts';

/** The embedded stack in a home of its own, and the command line as a user of it has it. */
export interface TestStack {
  home: string;
  /** For repositories and whatever else a test writes; it goes with the stack. */
  scratch: string;
  env: Readonly<Record<string, string>>;
  cli(argv: readonly string[], options?: Partial<CliOptions>): Promise<CliEnded>;
  start(argv: readonly string[], options?: Partial<CliOptions>): RunningCli;
  /** `run FILE --json`, followed to its end. */
  run(repository: Repository, definition: object | string, ...flags: string[]): Promise<JsonRun>;
  repository(files?: Files): Repository;
  /** What `stack.json` says now. */
  state(): Stack;
  pidOf(role: StackRole): number;
  /** A request to the API with the token. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Ends the stack and removes all it wrote. */
  close(): Promise<void>;
}

/** Stands for the CLI of an agent: what the repository's own `fake-agent` does, in its working folder. */
const fakeAgents = { 'fake-agent': '#!/bin/sh\nexec ./fake-agent "$@"\n' };

/** A secret of the host, of two lines, that a definition may name. */
export const testSecret = { name: 'TEST_SECRET', value: 'line-one-abcdef\nline-two-ghijkl' } as const;

/** The key with which the agents of the tests are signed in. */
export const testKey = { name: 'ANTHROPIC_API_KEY', value: 'sk-test-of-the-agent' } as const;

/** A home on a disk (a temporary folder may be memory) that the account of the database may pass through. */
function newFolder(): string {
  const folder = mkdtempSync('/var/tmp/setpoint-e2e-');
  chmodSync(folder, 0o711);
  return folder;
}

/** Settings of a stack in `folder` that meets no other one; `settings` wins. */
export async function stackEnvironment(
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const own = Object.entries(process.env).filter(([name]) => !/^(SETPOINT_|GIT_|VITEST|NODE_ENV$)/.test(name));
  const bin = join(folder, 'bin');
  writeFiles(bin, fakeAgents);
  const fake = join(bin, 'fake-agent');
  const cached = process.env['SETPOINT_TEMPORAL_CLI'];
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    ...(cached === undefined ? {} : { SETPOINT_TEMPORAL_CLI: cached }),
    SETPOINT_HOME: join(folder, 'home'),
    SETPOINT_PORT: String(await freePort()),
    SETPOINT_HOST_ID: 'test-host',
    SETPOINT_AGENT_CLAUDE: fake,
    [testSecret.name]: testSecret.value,
    [testKey.name]: testKey.value,
    ...settings,
  };
}

/** A stack of a test file's own, for tests that break it. It is started by the first command that needs it. */
export async function ownStack(settings: Readonly<Record<string, string>> = {}): Promise<TestStack> {
  const folder = newFolder();
  const stack = stackIn(folder, await stackEnvironment(folder, settings));
  return {
    ...stack,
    async close() {
      await stack.cli(['down']);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** The one stack that the test files of a vitest run share; ended with the run. About 4 s for the first who asks. */
export async function sharedStack(): Promise<TestStack> {
  const { address } = await sharedServer('stack', startShared);
  const { folder, port } = JSON.parse(address) as { folder: string; port: string };
  return stackIn(folder, await stackEnvironment(folder, { SETPOINT_PORT: port }));
}

async function startShared(): Promise<SharedServer> {
  const folder = newFolder();
  const env = await stackEnvironment(folder);
  const stack = stackIn(folder, env);
  const up = await stack.cli(['up', '--detach']);
  if (up.code !== 0) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    throw new TypeError(`the stack did not start: ${up.stderr}`);
  }
  const supervisor = stack.state().processes.find(({ role }) => role === 'supervisor');
  if (supervisor?.pid == null || supervisor.startMark === null) throw new TypeError('the stack has no supervisor');
  return {
    address: JSON.stringify({ folder, port: env['SETPOINT_PORT'] }),
    process: { pid: supervisor.pid, startMark: supervisor.startMark },
    folders: [folder],
  };
}

function stackIn(folder: string, env: Readonly<Record<string, string>>): TestStack {
  const home = join(folder, 'home');
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch, { recursive: true });
  const state = (): Stack => {
    const found = readStack(home);
    if (found === undefined) throw new TypeError(`there is no stack in ${home}`);
    return Stack.parse(found);
  };
  const start = (argv: readonly string[], options: Partial<CliOptions> = {}): RunningCli =>
    startCli(argv, { cwd: scratch, ...options, env: { ...env, ...options.env } });
  return {
    home,
    scratch,
    env,
    start,
    cli: (argv, options) => start(argv, options).ended,
    async run(repository, definition, ...flags) {
      const file = repository.definition(definition);
      return jsonRun(await runCli(['run', file, '--json', ...flags], { cwd: repository.path, env }));
    },
    repository: (files) => createRepository(scratch, files),
    state,
    pidOf(role) {
      const pid = state().processes.find((entry) => entry.role === role)?.pid;
      if (pid == null) throw new TypeError(`${role} has no process`);
      return pid;
    },
    call(path, init = {}) {
      const { url, tokenFile } = state();
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`);
      return fetch(`${url}${path}`, { ...init, headers });
    },
    close: async () => undefined,
  };
}

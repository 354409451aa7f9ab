import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Stack, StackRole } from '#core/contract/stack.ts';
import { hostEnvironment } from '#infra/config.ts';
import { freePort } from '#infra/stack/free-port.ts';
import { identify, isGoneWithin } from '#infra/stack/process-identity.ts';
import { isUp, livingProcess, readStack } from '#infra/stack/stack-file.ts';
import { until } from './until.ts';

/** The whole embedded stack in a home of its own, every process from a copy of what was built. */
export interface TestStack {
  /** Holds the home, the build and whatever a test puts beside them. */
  folder: string;
  home: string;
  /** The copy of the build: `dist/` and what it needs. */
  build: string;
  up(): Promise<Stack>;
  /** The orderly end of every process. */
  down(): Promise<void>;
  state(): Stack;
  pid(role: StackRole): number;
  /** kill -9; settles when the process is gone. */
  kill(role: StackRole): Promise<void>;
  signal(role: StackRole, signal: NodeJS.Signals): void;
  /** Until another process than `before` serves the role. */
  untilReplaced(role: StackRole, before: number): Promise<void>;
  untilUp(): Promise<void>;
  /** The body of an answer that is no refusal; rejects with a refusal. */
  call(path: string, body?: unknown): Promise<unknown>;
  /** As a client without retries has it. */
  request(path: string, body?: unknown): Promise<Response>;
  /** One statement on the record, on a connection of its own: the database may be the one that dies. */
  query<T>(text: string, values?: unknown[]): Promise<T[]>;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Copies the build and starts the stack. Call `close`, whatever happens: its processes outlive the test's. */
export async function startTestStack(env: Readonly<Record<string, string>> = {}): Promise<TestStack> {
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-faults-'));
  // The account of the database must pass through, or its folder would be made outside.
  await chmod(folder, 0o711);
  const home = join(folder, 'home');
  const build = join(folder, 'build');
  await copyBuild(build);
  // Of its own: the usual one is taken by any stack that is started at the same moment.
  const settings = { SETPOINT_PORT: String(await freePort()), ...env };
  const command = (...args: string[]) => stackCommand({ build, home, env: settings }, args);
  const state = () => knownStack(home);
  const pid = (role: StackRole) => pidOf(home, role);
  const stack: TestStack = {
    folder,
    home,
    build,
    state,
    pid,
    async up() {
      await command('up');
      return state();
    },
    down: () => command('down'),
    async kill(role) {
      const identity = identify(pid(role));
      process.kill(pid(role), 'SIGKILL');
      if (identity !== undefined) await isGoneWithin(identity, 5_000);
    },
    signal: (role, signal) => void process.kill(pid(role), signal),
    async untilReplaced(role, before) {
      await until(`${role} runs again`, () => {
        const living = livingProcess(readStack(home), role);
        return living !== undefined && living.pid !== before ? living : undefined;
      });
      await stack.untilUp();
    },
    untilUp: async () => void (await until('the stack is up', () => isUp(readStack(home)) || undefined)),
    call: (path, body) => call(state(), path, body),
    request: (path, body) => request(state(), path, body),
    query: (text, values) => query(state().databaseUrl, text, values),
    async close() {
      await stack.down();
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  try {
    await stack.up();
  } catch (error) {
    await stack.close();
    throw error;
  }
  return stack;
}

/** A copy, so that a build under way elsewhere cannot break a process that starts again; and it may be changed. */
async function copyBuild(build: string): Promise<void> {
  await mkdir(build);
  for (const part of ['dist', 'package.json', join('infra', 'postgres', 'migrations')]) {
    await cp(join(root, part), join(build, part), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(build, 'node_modules'));
}

interface Where {
  build: string;
  home: string;
  env: Readonly<Record<string, string>>;
}

async function stackCommand({ build, home, env }: Where, args: string[]): Promise<void> {
  const script = join(build, 'dist', 'workers', 'stack.js');
  const environment = { ...hostEnvironment(), SETPOINT_SANDBOX: 'none', SETPOINT_LOG: 'info', ...env };
  await promisify(execFile)(process.execPath, [script, ...args, '--home', home], { env: environment }).catch(
    (error: unknown) => {
      const told = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
      throw new TypeError(`stack ${args.join(' ')} failed; is it built (npm run build)? ${told}`, { cause: error });
    },
  );
}

function knownStack(home: string): Stack {
  const stack = readStack(home);
  if (stack === undefined) throw new TypeError(`no stack was ever started in ${home}`);
  return stack;
}

function pidOf(home: string, role: StackRole): number {
  const living = livingProcess(readStack(home), role);
  if (living === undefined) throw new TypeError(`${role} is not running`);
  return living.pid;
}

async function request(stack: Stack, path: string, body?: unknown): Promise<Response> {
  const token = (await readFile(stack.tokenFile, 'utf8')).trim();
  return fetch(new URL(path, stack.url), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function call(stack: Stack, path: string, body?: unknown): Promise<unknown> {
  const response = await request(stack, path, body);
  const text = await response.text();
  if (!response.ok) throw new TypeError(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function query<T>(url: string, text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const answer = await client.query(text, values);
    return answer.rows as T[];
  } finally {
    await client.end().catch(() => undefined);
  }
}

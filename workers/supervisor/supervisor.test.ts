import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Stack, StackMessage, StackRole } from '#core/contract/stack.ts';
import { hostEnvironment } from '#infra/config.ts';
import { homeOwner } from '#infra/stack/home-lock.ts';
import { isAlive, isGoneWithin, type ProcessIdentity, signalProcess } from '#infra/stack/process-identity.ts';
import { isUp, livingProcess, readStack } from '#infra/stack/stack-file.ts';
import { probeTemporal } from '#infra/stack/temporal-probe.ts';
import { withTemporal } from '../../test/integration/with-temporal.ts';

const root = resolve(import.meta.dirname, '../..');
const children = ['temporal', 'postgres', 'api', 'control', 'host'] as const;

/** Small programs in the place of the three of ours; the servers are the real ones. */
const standIns = {
  api: `
    import { createServer } from 'node:http';
    const { SETPOINT_PORT, SETPOINT_TOKEN, SETPOINT_DATABASE_URL } = process.env;
    const server = createServer((request, response) => {
      const known = request.url === '/healthz' && SETPOINT_TOKEN && SETPOINT_DATABASE_URL;
      response.writeHead(known ? 200 : 404).end();
    });
    server.listen(Number(SETPOINT_PORT), '127.0.0.1');
    process.on('SIGTERM', () => process.exit(0));`,
  worker: `
    import { writeFileSync } from 'node:fs';
    if (process.env.SETPOINT_TOKEN) throw new TypeError('a worker needs no token');
    writeFileSync(process.env.SETPOINT_HOME + '/run/' + process.argv[2] + '.ready', String(process.pid));
    setInterval(() => {}, 1000);
    process.on('SIGTERM', () => process.exit(0));`,
  broken: `process.stderr.write('no such module: loops\\n'); process.exit(1);`,
};

beforeAll(async () => {
  // The supervisor is tested as the program it is: built, in a process of its own.
  await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'workers'], {
    cwd: root,
  }).catch((error: unknown) => {
    throw new TypeError(
      `the build failed: ${error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)}`,
    );
  });
}, 180_000);

let folder: string;
let home: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setpoint-stack-'));
  await chmod(folder, 0o711);
  home = join(folder, 'home');
  for (const [name, text] of Object.entries(standIns)) await writeFile(join(folder, `${name}.mjs`), text);
  await usePrograms({});
});
afterEach(async () => {
  const stack = readStack(home);
  await stackCommand('down');
  const alive = StackRole.options.filter((role) => livingProcess(stack, role) !== undefined);
  if (alive.length > 0) throw new TypeError(`still running after down: ${alive.join(', ')}`);
  const outside = stack?.kept.databaseFolder;
  if (outside?.startsWith('/var/lib/setpoint/')) await rm(dirname(outside), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

async function usePrograms(other: Partial<Record<'api' | 'control' | 'host', string[]>>): Promise<void> {
  const run = (file: string, ...args: string[]) => [process.execPath, join(folder, file), ...args];
  const programs = {
    api: run('api.mjs'),
    control: run('worker.mjs', 'control'),
    host: run('worker.mjs', 'host'),
    ...other,
  };
  await writeFile(join(folder, 'programs.json'), JSON.stringify(programs));
}

async function stackCommand(command: string, env: Record<string, string> = {}): Promise<StackMessage[]> {
  const args = ['dist/workers/stack.js', command, '--home', home, '--programs', join(folder, 'programs.json')];
  const inherited = { ...hostEnvironment(), VITEST: '' };
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const messages: StackMessage[] = [];
  createInterface(child.stdout).on('line', (line) => messages.push(StackMessage.parse(JSON.parse(line))));
  await once(child, 'close');
  return messages;
}

async function up(env?: Record<string, string>): Promise<Stack> {
  const messages = await stackCommand('up', env);
  if (messages.at(-1)?.event !== 'ready') throw new TypeError(JSON.stringify(messages));
  const stack = readStack(home);
  if (!isUp(stack)) throw new TypeError(`not up: ${JSON.stringify(stack)}`);
  return stack;
}

function processOf(stack: Stack, role: StackRole): ProcessIdentity {
  const process = livingProcess(stack, role);
  if (process === undefined) throw new TypeError(`${role} does not live`);
  return process;
}

function pids(stack: Stack): Record<string, number | null> {
  return Object.fromEntries(
    stack.processes.filter(({ role }) => role !== 'supervisor').map(({ role, pid }) => [role, pid]),
  );
}

async function killNow(process: ProcessIdentity): Promise<void> {
  signalProcess(process, 'SIGKILL');
  expect(await isGoneWithin(process, 10_000)).toBe(true);
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('up starts six processes and says where; a second up finds them; down ends them; the next up has the same addresses and data', async () => {
  const begin = performance.now();
  const first = await up();
  const coldMs = performance.now() - begin;
  expect(first.processes.map(({ role, state }) => `${role} ${state}`)).toEqual(
    StackRole.options.map((role) => `${role} running`),
  );
  expect(coldMs).toBeLessThan(15_000);
  expect((await stat(join(home, 'stack.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(join(home, 'token'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(home, '.gitignore'), 'utf8')).toBe('*\n');
  expect(await probeTemporal(first.temporalAddress, 'default')).toBe(true);
  await query(first.databaseUrl, 'create table t as select 1 as one');

  expect(await up()).toEqual(first);

  expect(await stackCommand('down')).toEqual([{ event: 'stopped', home }]);
  expect(children.filter((role) => livingProcess(first, role))).toEqual([]);
  const [status] = await stackCommand('status');
  expect(status).toMatchObject({ event: 'status', up: false });

  const second = await up();
  expect(second.url).toBe(first.url);
  expect(second.kept).toEqual(first.kept);
  expect(await query(second.databaseUrl, 'select one from t')).toEqual([{ one: 1 }]);
});

test('each process that is killed is started again', async () => {
  const before = await up();
  for (const role of children) signalProcess(processOf(before, role), 'SIGKILL');
  await expect
    .poll(
      () => {
        const stack = readStack(home);
        return isUp(stack) && children.every((role) => pids(stack)[role] !== pids(before)[role]);
      },
      { timeout: 30_000, interval: 50 },
    )
    .toBe(true);
  expect(readStack(home)?.processes[0]).toEqual(before.processes[0]);
});

test('a killed supervisor leaves its processes at work, and the next up adopts those that live and starts the others', async () => {
  const before = await up();
  await killNow(processOf(before, 'supervisor'));
  const [host, control] = [processOf(before, 'host'), processOf(before, 'control')];
  await killNow(processOf(before, 'api'));
  await killNow(processOf(before, 'postgres'));
  expect([host, control].map(isAlive)).toEqual([true, true]);
  const [seen] = await stackCommand('status');
  const states = seen?.event === 'status' ? seen.processes.map(({ role, state }) => [role, state]) : [];
  expect(Object.fromEntries(states)).toMatchObject({ supervisor: 'gone', api: 'gone', host: 'running' });

  const after = await up();
  const [old, now] = [pids(before), pids(after)];
  expect([now['host'], now['control'], now['temporal']]).toEqual([old['host'], old['control'], old['temporal']]);
  expect(now['api']).not.toBe(old['api']);
  expect(now['postgres']).not.toBe(old['postgres']);

  // Adopted ones are watched like any other.
  await killNow(processOf(after, 'control'));
  await expect.poll(() => isUp(readStack(home)), { timeout: 10_000, interval: 50 }).toBe(true);
});

test('down ends what a killed supervisor left', async () => {
  const stack = await up();
  await killNow(processOf(stack, 'supervisor'));
  await stackCommand('down');
  expect(StackRole.options.filter((role) => livingProcess(stack, role))).toEqual([]);
});

test('an up that fails before it has adopted what was left ends that too', async () => {
  const before = await up();
  await killNow(processOf(before, 'supervisor'));
  await killNow(processOf(before, 'postgres'));
  const [host, control] = [processOf(before, 'host'), processOf(before, 'control')];
  await rm(join(before.kept.databaseFolder ?? '', 'data/global'), { recursive: true });
  expect((await stackCommand('up')).at(-1)).toMatchObject({ event: 'error' });
  expect([host, control].map(isAlive)).toEqual([false, false]);
});

test('two ups at once give one stack', async () => {
  const [one, two] = await Promise.all([up(), up()]);
  expect(one).toEqual(two);
  expect(homeOwner(home)?.pid).toBe(processOf(one, 'supervisor').pid);
});

test('an up that meets a down waits for its end, then starts', async () => {
  const before = await up();
  const supervisor = processOf(before, 'supervisor');
  signalProcess(supervisor, 'SIGTERM');
  const after = await up();
  expect(isAlive(supervisor)).toBe(false);
  expect(after.url).toBe(before.url);
});

test('a home that is removed ends its stack', async () => {
  const stack = await up();
  const all = stack.processes.map(({ role }) => processOf(stack, role));
  // Its servers write while it is removed.
  await rm(home, { recursive: true, maxRetries: 20 });
  expect(await Promise.all(all.map((process) => isGoneWithin(process, 20_000)))).toEqual(all.map(() => true));
});

test('a process that cannot start makes up fail with the end of its log, and leaves nothing running', async () => {
  await usePrograms({ control: [process.execPath, join(folder, 'broken.mjs')] });
  const messages = await stackCommand('up');
  expect(messages.at(-1)).toMatchObject({
    event: 'error',
    code: 'stack/not-ready',
    message: expect.stringMatching(/control ended 3 times[^]*no such module: loops/),
  });
  expect(homeOwner(home)).toBeUndefined();
  expect(children.filter((role) => livingProcess(readStack(home), role))).toEqual([]);
});

test('a server that the settings name is not started, and the embedded one that was left in its place ends', async () => {
  const [own, { address }] = await Promise.all([up(), withTemporal()]);
  await killNow(processOf(own, 'supervisor'));
  const stack = await up({ SETPOINT_TEMPORAL_ADDRESS: address });
  expect(stack.processes.find(({ role }) => role === 'temporal')).toMatchObject({ state: 'external', pid: null });
  expect(livingProcess(own, 'temporal')).toBeUndefined();
});

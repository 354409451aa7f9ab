import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen, type RunningServer } from '#api/server.ts';
import type { RunEvent } from '#core/run/event.ts';
import { withApi, type TestApi } from './with-api.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** All that the client needs at run time, and what a program of TypeScript needs to compile. */
const needed = ['openapi-fetch', 'openapi-typescript-helpers', '@types/node', 'undici-types'];

let api: TestApi;
let server: RunningServer;
let folder: string;

beforeAll(async () => {
  api = await withApi();
  server = await listen(api.app, { port: 0 });
  folder = await mkdtemp(join(tmpdir(), 'setpoint-client-'));
  await install(folder);
});

afterAll(async () => {
  await server.close();
  await Promise.all([api.close(), rm(folder, { recursive: true, force: true })]);
});

/** The package as npm packs it, unpacked where a program looks for it, beside nothing but what it needs. */
async function install(into: string): Promise<void> {
  const modules = join(into, 'node_modules');
  await mkdir(join(modules, 'setpoint'), { recursive: true });
  await mkdir(join(modules, '@types'));
  await execa('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', into], { cwd: root });
  const packed = (await readdir(into)).find((name) => name.endsWith('.tgz')) ?? '';
  await execa('tar', ['xzf', join(into, packed), '--strip-components=1', '-C', join(modules, 'setpoint')]);
  await Promise.all(needed.map((name) => symlink(join(root, 'node_modules', name), join(modules, name))));
  await writeFile(join(into, 'package.json'), '{ "type": "module" }');
}

/** The examples of the guide: a program, and fragments. */
async function examples(): Promise<string[]> {
  const guide = await readFile(join(root, 'docs/guide/client.md'), 'utf8');
  return [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, example]) => example ?? '');
}

async function guideProgram(): Promise<string> {
  return (await examples())[0] ?? '';
}

const strict = ['--strict', '--exactOptionalPropertyTypes', '--noPropertyAccessFromIndexSignature'];

async function compile(name: string, program: string): Promise<string> {
  await writeFile(join(folder, `${name}.ts`), program);
  const settings = ['--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--outDir', 'out'];
  await execa(join(root, 'node_modules/.bin/tsc'), [...settings, ...strict, `${name}.ts`], { cwd: folder });
  return join(folder, 'out', `${name}.js`);
}

const run = (path: string, token = 'a-token') =>
  execa(process.execPath, [path], {
    env: { SETPOINT_URL: server.url, SETPOINT_TOKEN: token },
    cwd: folder,
    reject: false,
  });

const evidence = { summary: 'exit 0', durationMs: 5 };
const recorded = (runId: string): RunEvent[] => [
  { type: 'run.started', at: 1, runId },
  { type: 'checks.started', at: 2, step: 'work', pass: 1, round: 1 },
  {
    type: 'check.judged',
    at: 3,
    step: 'work',
    pass: 1,
    check: 'npm test',
    verdict: { kind: 'pass', evidence, findings: [] },
  },
];

test('E-22: the starters are part of the package', async () => {
  const { readStarter, starterNames } = await import(join(folder, 'node_modules/setpoint/dist/cli/init/starters.js'));
  for (const name of starterNames) expect(await readStarter(name)).toContain('# To adapt: ');
});

test("the guide's program compiles against the packed package, starts a run and follows it to its end", async () => {
  const program = run(await compile('guide', await guideProgram()));
  const runId = await new Promise<string>((resolve) => program.stdout.once('data', (text) => resolve(String(text))));
  const stop = { kind: 'succeeded', reason: 'every check passed' } as const;
  await api.record(runId.trim(), recorded(runId.trim()));
  await api.record(runId.trim(), [{ type: 'run.stopped', at: 4, stop }], {
    status: 'ended',
    stop,
    branch: 'setpoint/x',
  });
  const { stdout, stderr, exitCode } = await program;
  expect({ lines: stdout.split('\n').slice(1), stderr, exitCode }).toEqual({
    lines: ['3 npm test pass', 'succeeded setpoint/x'],
    stderr: '',
    exitCode: 0,
  });
});

test('a refusal reaches the program with code, remedy and every issue', async () => {
  const broken = (await guideProgram()).replace('agent: codex', 'agnet: codex');
  const { stderr, exitCode } = await run(await compile('broken', broken));
  expect(exitCode).toBe(1);
  expect(stderr).toContain('definition/invalid Correct what `issues` lists; nothing was started.');
  expect(stderr).toMatch(/agnet .*agent/);
  const stranger = await run(await compile('stranger', await guideProgram()), 'wrong');
  expect([stranger.exitCode, stranger.stderr]).toEqual([1, expect.stringContaining('http/unauthorized')]);
});

test('the other examples of the guide compile', async () => {
  const [, ...fragments] = await examples();
  expect(fragments.length).toBeGreaterThan(2);
  const given = `import { createSetpointClient } from 'setpoint/client';
const setpoint = createSetpointClient({ url: '' });
declare const runId: string, lastSeq: number, signal: AbortSignal;`;
  await compile('fragments', [given, ...fragments.map((fragment) => `{\n${fragment}}`)].join('\n'));
});

test('what a call does not take does not compile', async () => {
  const wrong = `import { createSetpointClient } from 'setpoint/client';
const setpoint = createSetpointClient({ url: '' });
await setpoint.startRun({ body: { sauce: 'x' } });`;
  await expect(compile('wrong', wrong)).rejects.toMatchObject({ stdout: expect.stringContaining("'sauce'") });
});

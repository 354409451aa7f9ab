import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, startScriptedServer } from '#cli/testing/scripted-server.ts';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

async function withProgram(source: string): Promise<ScriptedContext> {
  const path = join(cwd, 'program.mjs');
  await writeFile(path, source);
  const names = ['workers/control.js', 'workers/host.js', 'workers/migrate.js', 'api/main.js'] as const;
  return scriptedContext({ cwd, entries: Object.fromEntries(names.map((name) => [name, path])) });
}

test.each([['migrate'], ['api'], ['worker', 'control'], ['worker', 'host']])(
  '%s %s ends as its program ends',
  async (...argv) => {
    expect((await (await withProgram('process.exit(7)')).run(...argv)).code).toBe(7);
  },
);

test('being asked to end is handed on, and the program ends in its own way', async () => {
  const server = await startScriptedServer();
  server.on('GET /ready', (received, response) => {
    json({})(received, response);
    process.emit('SIGTERM', 'SIGTERM');
  });
  const cli = await withProgram(`
    process.on('SIGTERM', () => process.exit(9));
    setInterval(() => undefined, 1000);
    await fetch('${server.url}/ready');
  `);
  expect((await cli.run('worker', 'control')).code).toBe(9);
  await server.stop();
});

test('a program that a signal ended counts as 128 and the number of the signal', async () => {
  expect((await (await withProgram('process.kill(process.pid, "SIGKILL")')).run('api')).code).toBe(137);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { killContainment } from '#infra/process/containment.ts';
import { containmentVariable, markedPids } from '#infra/process/process-table.ts';
import { chooseSandbox } from '#infra/sandbox/choose-sandbox.ts';
import { noSandbox, type Sandbox } from '#infra/sandbox/sandbox.ts';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-kill-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A host process that starts a contained command as `runContained` does, and then does nothing. */
const host = `
const { spawn } = require('node:child_process');
const { argv, cwd, env } = JSON.parse(process.argv[1]);
spawn(argv[0], argv.slice(1), { cwd, env, detached: true, stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
setInterval(() => {}, 1000);
`;
const work = 'sleep 600 & setsid sleep 600 & (trap "" TERM; exec sleep 600) & echo started; wait';

async function startHost(sandbox: Sandbox, id: string) {
  const env = { PATH: '/usr/bin:/bin' };
  const { argv, cwd } = sandbox.launch({
    argv: ['/bin/bash', '-c', work],
    cwd: folder,
    env,
    workspace: { path: folder, access: 'write' },
    writable: [],
    readable: [],
    network: true,
  });
  const launch = JSON.stringify({ argv, cwd, env: { ...env, [containmentVariable]: id } });
  const child = spawn(process.execPath, ['-e', host, launch], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describe('a host process that is killed', () => {
  test('A10, E5 takes a bwrap containment with it, setsid and SIGTERM-proof children included', async () => {
    const sandbox = await chooseSandbox('bwrap', { path: process.env['PATH'] ?? '', warn: () => undefined });
    const id = `killed-bwrap-${String(process.pid)}`;
    const child = await startHost(sandbox, id);
    expect(markedPids(id).length).toBeGreaterThan(3);
    child.kill('SIGKILL');
    // Every process of the work holds this pipe: it closes when the last one is gone.
    await once(child.stdout.resume(), 'close');
    expect((await killContainment(id)).confirmed).toBe(true);
    expect(markedPids(id)).toEqual([]);
  });

  test('A10, E5 without a sandbox its work lives on until killContainment ends it and says what it was', async () => {
    const id = `killed-none-${String(process.pid)}`;
    const child = await startHost(noSandbox, id);
    child.kill('SIGKILL');
    const closed = once(child.stdout.resume(), 'close');
    await once(child, 'exit');
    const { killed, confirmed } = await killContainment(id);
    expect(confirmed).toBe(true);
    expect(killed.filter((left) => left.command.includes('sleep 600')).length).toBe(4);
    expect(markedPids(id)).toEqual([]);
    await closed;
  });

  test('A10 killContainment ends a live bwrap containment too, and nothing else', async () => {
    const sandbox = await chooseSandbox('bwrap', { path: process.env['PATH'] ?? '', warn: () => undefined });
    const id = `live-bwrap-${String(process.pid)}`;
    const child = await startHost(sandbox, id);
    const other = await startHost(noSandbox, `${id}-other`);
    expect(await killContainment(id)).toMatchObject({ confirmed: true });
    expect(markedPids(id)).toEqual([]);
    expect(markedPids(`${id}-other`).length).toBeGreaterThan(3);
    for (const each of [child, other]) each.kill('SIGKILL');
    await killContainment(`${id}-other`);
  });

  test('killContainment of an unknown id kills nothing', async () => {
    expect(await killContainment('never-started')).toEqual({ killed: [], confirmed: true });
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { scriptedContext } from '#cli/testing/scripted-context.ts';
import { printingProgram } from '#cli/testing/small-repository.ts';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-agents-'));
});
afterEach(() => rm(cwd, { recursive: true }));

test('each agent is told with what is to be done before it can work', async () => {
  const entry = await printingProgram(cwd, [
    { name: 'codex', installed: true, version: '1.2.3', signedIn: 'yes', path: '/bin/codex' },
    { name: 'claude', installed: true, signedIn: 'unknown', path: '/bin/claude', remedy: 'claude, then /login' },
    { name: 'pi', installed: true, signedIn: 'no', path: '/bin/pi', remedy: 'pi, then /login' },
    { name: 'amp', installed: false, signedIn: 'unknown', remedy: 'npm install -g amp' },
  ]);
  const { out } = await scriptedContext({ cwd, entries: { 'workers/agents.js': entry } }).run('agents');
  expect(out.slice(1).map((line) => line.split(/\s{2,}/))).toEqual([
    ['codex', '1.2.3', 'signed in', '/bin/codex'],
    ['claude', 'installed', 'unknown', '/bin/claude (if it is not signed in: claude, then /login)'],
    ['pi', 'installed', 'not signed in', '/bin/pi (sign in: pi, then /login)'],
    ['amp', 'not found', '-', 'npm install -g amp'],
  ]);
});

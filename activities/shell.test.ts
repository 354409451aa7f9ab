import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runShell } from '#activities/shell.ts';
import { agentPlacesOf } from '#activities/workspace/places.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { chooseSandbox } from '#infra/sandbox/choose-sandbox.ts';

let root = '';
let count = 0;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-shell-')));
  mkdirSync(join(root, 'work'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const path = process.env['PATH'] ?? '';

async function shell(command: string, more: { environment?: Record<string, string>; secrets?: string[] } = {}) {
  count += 1;
  const deps = {
    home: join(root, 'data'),
    environment: { PATH: path, ...more.environment },
    artifacts: openArtifactStore(join(root, 'artifacts')),
    sandbox: await chooseSandbox('bwrap', { path, warn: () => undefined }),
  };
  return runShell(deps, {
    command,
    cwd: join(root, 'work'),
    runId: 'run',
    output: { runId: 'run', step: 'a', pass: 1, attempt: count },
    access: 'write',
    env: {},
    secrets: more.secrets ?? [],
    timeoutSeconds: 30,
    task: {
      containmentId: `shell-${String(process.pid)}-${String(count)}`,
      signal: new AbortController().signal,
      tries: 1,
      report: () => undefined,
      stopping: () => false,
    },
  });
}

describe('the HOME of commands (H4)', () => {
  test('what one command of the run leaves there, the next one finds', async () => {
    await shell('echo cached > ~/cache');
    expect((await shell('cat ~/cache')).texts.tail.stdout).toBe('cached\n');
  });

  test('the HOME of an agent, with its sign-in, is out of reach', async () => {
    const { home } = agentPlacesOf(join(root, 'data'), 'run', 'work');
    mkdirSync(join(home, '.codex'), { recursive: true });
    writeFileSync(join(home, '.codex/auth.json'), 'the login');
    const { texts } = await shell(`find ~ -type f; cat ${home}/.codex/auth.json; touch ${home}/planted`);
    expect(texts.tail.stdout).toBe('');
    expect(texts.tail.stderr).toContain('No such file');
  });
});

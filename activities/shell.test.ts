import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRunSecrets } from '#activities/run-secrets.ts';
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

const stored = { name: 'STORED_KEY', value: 'of-the-store' };
const store = { ofRun: async () => [stored], namedByRun: async () => [stored.name] };

async function shell(command: string, more: { environment?: Record<string, string>; secrets?: string[] } = {}) {
  count += 1;
  const environment = { PATH: path, ...more.environment };
  const deps = {
    home: join(root, 'data'),
    environment,
    secrets: createRunSecrets({ hostId: 'h1', environment, store }),
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

describe('H4: secrets', () => {
  const environment = { OPENAI_API_KEY: 'sk-agents-own-key', DEPLOY_KEY: 'granted-to-the-step' };

  test('a command that was granted nothing has no key, and a key that it finds in the work is hidden', async () => {
    const { texts } = await shell('echo "[$OPENAI_API_KEY$DEPLOY_KEY]"; echo sk-agents-own-key', { environment });
    expect(texts.tail.stdout).toBe('[]\n[redacted]\n');
    expect(texts.artifact.excerpt).not.toContain('sk-agents');
  });

  test('what was granted reaches the command and is hidden in its output and in what it left running', async () => {
    const command = 'echo "$DEPLOY_KEY"; setsid tail -f /dev/null "$DEPLOY_KEY" >/dev/null 2>&1 &';
    const { texts, result } = await shell(command, { environment, secrets: ['DEPLOY_KEY'] });
    expect(texts.tail.stdout).toBe('[redacted]\n');
    const left = result.leftovers.map((leftover) => leftover.command);
    expect(left.join()).toContain('tail -f /dev/null [redacted]');
    expect(left.join()).not.toContain('granted');
  });

  test('a stored secret reaches the command and is hidden as one of the host is', async () => {
    const { texts } = await shell('printf %s "$STORED_KEY" | tr a-z A-Z; echo "$STORED_KEY"', {
      secrets: ['STORED_KEY'],
    });
    expect(texts.tail.stdout).toBe('OF-THE-STORE[redacted]\n');
  });

  test('what another step of the run was granted is hidden, too: it may stand in the work', async () => {
    expect((await shell('echo of-the-store "[$STORED_KEY]"')).texts.tail.stdout).toBe('[redacted] []\n');
  });
});

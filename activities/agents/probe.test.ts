import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Fault } from '#core/contract/fault.ts';
import { findAgent, locateAgent } from '#activities/agents/locate.ts';
import { agents } from '#activities/agents/registry.ts';
import { chooseAgent, type ProbeDeps, type ProbedAgent, probeAgents } from '#activities/agents/probe.ts';

let root: string;
let bin: string;
let environment: Record<string, string>;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'probe-'));
  bin = join(root, 'bin');
  await mkdir(join(root, 'home', '.claude'), { recursive: true });
  await mkdir(bin);
  await program('codex', 'case "$*" in --version) echo codex-cli 0.171.0;; "login status") exit 1;; esac');
  await program('claude', 'echo "2.1.332 (Claude Code)"');
  await program('gemini', 'exec tail -f /dev/null');
  await program('opencode', 'echo broken >&2; exit 3');
  await writeFile(join(bin, 'pi'), 'not executable');
  await writeFile(join(root, 'home', '.claude', '.credentials.json'), '{}');
  environment = { PATH: `relative:${bin}` };
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(bin, name), `#!/bin/bash\n${script}\n`);
  await chmod(join(bin, name), 0o755);
}

const lookup = (variable: string): string | undefined => environment[variable];

function deps(timeoutMs: number): ProbeDeps {
  return {
    lookup,
    userHome: join(root, 'home'),
    timeoutMs,
    exec: ([file, ...rest], limitMs) =>
      new Promise((done) => {
        const child = execFile(file, rest, { timeout: limitMs, killSignal: 'SIGKILL' }, (_error, stdout) => {
          done({ exitCode: child.exitCode, stdout });
        });
        child.stdin?.end();
      }),
  };
}

function byName(probed: ProbedAgent[], name: string): ProbedAgent | undefined {
  return probed.find((agent) => agent.name === name);
}

describe('which agents a host has', () => {
  test('each is asked for its version and its sign-in, at once and with a limit', async () => {
    const before = performance.now();
    const probed = await probeAgents(deps(1_000));
    expect(performance.now() - before).toBeLessThan(4_000);
    expect(byName(probed, 'codex')).toEqual({
      name: 'codex',
      installed: true,
      path: join(bin, 'codex'),
      version: '0.171.0',
      signedIn: 'no',
      remedy: 'codex login',
    });
    expect(byName(probed, 'claude')).toMatchObject({ version: '2.1.332', signedIn: 'yes' });
    expect(byName(probed, 'claude')).not.toHaveProperty('remedy');
    expect(byName(probed, 'pi')).toMatchObject({ installed: false, remedy: expect.stringContaining('npm install') });
  });

  test('a version at the end of a sentence is told without its full stop', () => {
    const { probe } = agents.copilot;
    expect(probe?.version('GitHub Copilot CLI 1.0.102.\nRun ...')).toBe('1.0.102');
    expect(probe?.version('GitHub Copilot CLI 1.0.102-beta.3.\n')).toBe('1.0.102-beta.3');
  });

  test('one that hangs or fails has no version, and the others are not kept waiting', async () => {
    const probed = await probeAgents(deps(1_000));
    expect(byName(probed, 'gemini')).toMatchObject({ installed: true, signedIn: 'unknown' });
    expect(byName(probed, 'gemini')).not.toHaveProperty('version');
    expect(byName(probed, 'opencode')).not.toHaveProperty('version');
    expect(byName(probed, 'codex')?.version).toBe('0.171.0');
  });

  test('`auto` is the first that is installed and signed in', async () => {
    expect(chooseAgent(await probeAgents(deps(1_000))).name).toBe('claude');
  });

  test('`auto` takes one whose sign-in cannot be told only when no other is signed in', () => {
    const maybe: ProbedAgent = { name: 'gemini', installed: true, signedIn: 'unknown' };
    const not: ProbedAgent = { name: 'codex', installed: true, signedIn: 'no', remedy: 'codex login' };
    expect(chooseAgent([not, maybe]).name).toBe('gemini');
    expect(() => chooseAgent([not])).toThrow('codex: codex login');
    expect(() => chooseAgent([])).toThrow(/npm install -g @openai\/codex/);
  });
});

describe('where an agent’s program is', () => {
  test('on PATH, skipping relative entries and files that cannot run', async () => {
    expect(await locateAgent('codex', lookup)).toBe(join(bin, 'codex'));
    expect(await findAgent('pi', lookup)).toBeUndefined();
  });

  test.each(['codex', 'opencode', 'claude', 'pi', 'cursor'] as const)(
    'T-30: SETPOINT_AGENT_<NAME> goes before PATH: %s',
    async (agent) => {
      const chosen = join(bin, 'claude');
      const told = `SETPOINT_AGENT_${agent.toUpperCase()}`;
      expect(await locateAgent(agent, (name) => (name === told ? chosen : lookup(name)))).toBe(chosen);
    },
  );

  test('a missing one is the fault agent/not-found, which names how to install it', async () => {
    const missing = locateAgent('copilot', lookup);
    await expect(missing).rejects.toBeInstanceOf(Fault);
    await expect(missing).rejects.toMatchObject({
      code: 'agent/not-found',
      message: expect.stringContaining('npm install -g @github/copilot'),
    });
    await expect(locateAgent('codex', () => '/nowhere/codex')).rejects.toThrow(
      'SETPOINT_AGENT_CODEX is "/nowhere/codex"',
    );
  });

  test('a custom agent is its own command, and a scripted one is bash', async () => {
    const custom = { command: ['codex', '--x'], prompt: 'stdin', output: 'text' } as const;
    expect(await locateAgent('custom', lookup, { ...custom, command: [...custom.command] })).toBe(join(bin, 'codex'));
    expect(await locateAgent('scripted', (name) => (name === 'PATH' ? '/usr/bin:/bin' : undefined))).toMatch(/\/bash$/);
  });
});

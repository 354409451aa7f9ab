import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { suggest, type Suggested } from '#activities/suggest/suggest.ts';
import { chooseSandbox } from '#infra/sandbox/choose-sandbox.ts';

const suggestion = {
  name: 'CSV',
  checks: [{ kind: 'command', name: 'tests', run: 'touch /var/tmp/setpoint-suggested-this', why: 'It fails.' }],
  mode: 'all',
  passes: 4,
  why: 'Small.',
};

let folder: string;
let repo: string;

beforeEach(() => {
  folder = mkdtempSync('/var/tmp/setpoint-suggest-');
  repo = join(folder, 'repo');
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  writeFileSync(join(repo, 'file'), 'of the base\n');
  const git = (...args: string[]): unknown => execFileSync('git', ['-C', repo, ...args]);
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.invalid', 'commit', '-q', '-m', 'base');
  writeFileSync(join(repo, 'file'), 'not committed\n');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** An agent that follows its script; what it writes into its HOME is gone with it, so it tells by its answer. */
async function ask(
  script: string,
  options: { agent?: string; signal?: AbortSignal } = {},
): Promise<Suggested & { asked: number[] }> {
  const amp = join(folder, 'amp');
  writeFileSync(amp, `#!/bin/sh\ncat > "$HOME/prompt"\n${script}\n`);
  chmodSync(amp, 0o755);
  const path = process.env['PATH'] ?? '';
  const asked: number[] = [];
  const answer = await suggest(
    {
      environment: { PATH: path, SETPOINT_AGENT_AMP: amp, AMP_API_KEY: 'sgamp-secret-key' },
      home: join(folder, 'home'),
      userHome: join(folder, 'user'),
      sandbox: await chooseSandbox('bwrap', { path, warn: () => undefined }),
    },
    { task: 'Accept CSV.', agent: options.agent ?? 'amp', repo },
    { signal: options.signal ?? new AbortController().signal, onAsking: (_agent, tries) => asked.push(tries) },
  );
  return { ...answer, asked };
}

const says = (value: unknown): string => `echo '${JSON.stringify(value)}'`;

test('E-21: the agent reads the commit and can change nothing, and nothing that it suggests is run', async () => {
  const look = 'seen=$(cat file); if { echo x > file; } 2>/dev/null; then seen=written; fi';
  const { asked, ...answer } = await ask(
    `${look}; grep -q 'Accept CSV' "$HOME/prompt" && ${says(suggestion)} | sed "s/CSV/$seen/"`,
  );
  expect(answer).toEqual({ kind: 'suggested', agent: 'amp', suggestion: { ...suggestion, name: 'of the base' } });
  expect(asked).toEqual([1]);
  expect(existsSync('/var/tmp/setpoint-suggested-this')).toBe(false);
  expect(readFileSync(join(repo, 'file'), 'utf8')).toBe('not committed\n');
});

test('E-21: an agent that fails is told with its remedy, and not asked again', async () => {
  const { asked, ...answer } = await ask('exit 3');
  expect(asked).toEqual([1]);
  expect(answer).toEqual({
    kind: 'failed',
    message: expect.stringContaining('amp could not be asked'),
    remedy: expect.stringContaining('amp login'),
  });
});

test('E-21: an answer that is no suggestion is asked for once more, with what was wrong', async () => {
  const script = `if grep -q 'could not be used' "$HOME/prompt"; then ${says(suggestion)}; else ${says({ ...suggestion, passes: 0 })}; fi`;
  expect(await ask(script)).toEqual({ kind: 'suggested', agent: 'amp', suggestion, asked: [1, 2] });
});

test('E-21: two answers that are none end with what was wrong and what to do', async () => {
  const { asked, ...answer } = await ask(says({ ...suggestion, passes: 0 }));
  expect(asked).toEqual([1, 2]);
  expect(answer).toEqual({
    kind: 'failed',
    message: expect.stringMatching(/2 times: passes: /),
    remedy: expect.stringContaining('--agent'),
  });
});

test('E-21: Ctrl-C ends the agent, and nothing of it is left', async () => {
  const left = new AbortController();
  const place = join(folder, 'home', 'suggestions');
  const asking = ask('sleep 600', { signal: left.signal });
  await vi.waitUntil(
    () => existsSync(place) && readdirSync(place).some((id) => existsSync(join(place, id, 'home/prompt'))),
    20_000,
  );
  left.abort();
  expect(await asking).toMatchObject({ kind: 'failed', message: expect.stringContaining('cancelled') });
  expect(readdirSync(place)).toEqual([]);
  const worktrees = execFileSync('git', ['-C', repo, 'worktree', 'list'], { encoding: 'utf8' });
  expect(worktrees.trim().split('\n')).toHaveLength(1);
  const refs = execFileSync('git', ['-C', repo, 'for-each-ref', '--format=%(refname)'], { encoding: 'utf8' });
  expect(refs.trim()).toBe('refs/heads/main');
});

test('E-21: a name that is no installed agent is refused before anything is done', async () => {
  expect(await ask('true', { agent: 'scripted' })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('scripted'),
  });
});

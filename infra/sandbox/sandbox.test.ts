import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ContainedSpec } from '#infra/process/contained-spec.ts';
import { buildEnvironment } from '#infra/process/environment.ts';
import { runContained } from '#infra/process/run-contained.ts';
import { chooseSandbox } from '#infra/sandbox/choose-sandbox.ts';

let root = '';
let workspace = '';
let home = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-box-')));
  workspace = join(root, 'work');
  home = join(root, 'home');
  for (const folder of [workspace, home, join(root, 'private')]) mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const path = process.env['PATH'] ?? '';
const silent = { path, warn: () => undefined };
let count = 0;

async function inside(script: string, extra: Partial<ContainedSpec> = {}) {
  count += 1;
  let output = '';
  const result = await runContained(
    {
      argv: ['bash', '-c', script],
      cwd: workspace,
      env: buildEnvironment({ host: process.env, home }),
      workspace: { path: workspace, access: 'write' },
      writable: [home],
      timeoutSeconds: 30,
      containmentId: `box-${String(process.pid)}-${String(count)}`,
      onOutput: ({ bytes }) => {
        output += Buffer.from(bytes).toString('utf8');
      },
      ...extra,
    },
    { sandbox: await chooseSandbox('bwrap', silent), signal: new AbortController().signal },
  );
  return { ...result, output };
}

describe('the bwrap sandbox', () => {
  test('workspace and agent home can be written, and the host user owns what is written', async () => {
    const result = await inside('mkdir -p a/b && echo x > a/b/file && echo y > "$HOME/state" && pwd');
    expect(result).toMatchObject({ exitCode: 0, output: `${workspace}\n` });
    expect(statSync(join(workspace, 'a/b/file')).uid).toBe(process.getuid?.());
    rmSync(join(workspace, 'a'), { recursive: true });
    expect(existsSync(join(home, 'state'))).toBe(true);
  });

  test('system, other folders and other processes are out of reach', async () => {
    const script = [
      'touch /usr/x 2>/dev/null && echo usr',
      'touch /etc/x 2>/dev/null && echo etc',
      'touch /x 2>/dev/null && echo rootfs',
      `ls ${root}/private 2>/dev/null && echo private`,
      'cat /etc/shadow 2>/dev/null && echo shadow',
      `kill -0 ${String(process.pid)} 2>/dev/null && echo host`,
      'ls /proc | grep -c "^[0-9]*$"',
    ].join('; ');
    const { output } = await inside(script);
    expect(output.trim()).toMatch(/^\d$/);
  });

  test('inside is an ordinary user without capabilities and without new user namespaces', async () => {
    const { output } = await inside(
      'id -u; grep CapEff /proc/self/status; unshare -Ur true 2>/dev/null && echo namespaces',
    );
    expect(output).toMatch(/^[1-9]\d*\nCapEff:\s+0000000000000000\n$/);
  });

  test('H3 a reviewer cannot write the workspace', async () => {
    writeFileSync(join(workspace, 'file'), 'before');
    const result = await inside('cat file; echo after > file; rm file', {
      workspace: { path: workspace, access: 'read' },
    });
    expect(result.exitCode).not.toBe(0);
    expect(result.output).toContain('before');
    expect(result.output).toContain('Read-only file system');
  });

  test('the tools of the host work: node, npm, python, git', async () => {
    const result = await inside(
      'node -e "console.log(1)" && npm --version && python3 -c "import ssl, json" && git --version',
    );
    expect(result).toMatchObject({ exitCode: 0, ended: 'exit' });
  });

  test('a linked worktree reads its main repository and cannot write it', async () => {
    const main = join(root, 'main');
    const git = (cwd: string, ...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, encoding: 'utf8' });
    mkdirSync(main);
    git(main, 'init', '-q', '-b', 'main');
    git(main, 'commit', '-q', '--allow-empty', '-m', 'base');
    rmSync(workspace, { recursive: true });
    git(main, 'worktree', 'add', '-q', '--detach', workspace);
    writeFileSync(join(workspace, 'new'), '');
    const result = await inside(`git status --short && git log --format=%s && touch ${main}/.git/x`);
    expect(result.output).toContain('?? new\nbase\n');
    expect(result.exitCode).not.toBe(0);
    expect(existsSync(join(main, '.git/x'))).toBe(false);
    // A token in the repository's settings stays outside, and git works on without it.
    git(main, 'config', 'http.https://example.org/.extraheader', 'AUTHORIZATION: basic c2VjcmV0');
    git(main, 'remote', 'add', 'origin', 'https://user:c2VjcmV0@example.org/x.git');
    const settings = await inside(`git remote -v; git status --short; grep -rn c2VjcmV0 ${main}/.git; true`);
    expect(settings.output).toContain('https://example.org/x.git');
    expect(settings.output).toContain('?? new');
    expect(settings.output).not.toContain('c2VjcmV0');
    expect(git(main, 'config', 'http.https://example.org/.extraheader')).toContain('c2VjcmV0');
  });

  test('a program that is a link into another folder runs', async () => {
    const tools = join(root, 'tools');
    mkdirSync(join(tools, 'real'), { recursive: true });
    mkdirSync(join(tools, 'bin'));
    writeFileSync(join(tools, 'real/agent'), '#!/bin/sh\necho agent "$@"\n', { mode: 0o755 });
    symlinkSync(join(tools, 'real/agent'), join(tools, 'bin/agent'));
    const env = { ...buildEnvironment({ host: process.env, home }), PATH: `${tools}/bin:/usr/bin:/bin` };
    expect(await inside('', { argv: ['agent', 'a b'], env })).toMatchObject({ exitCode: 0, output: 'agent a b\n' });
  });

  test('a program of an npm package finds the packages beside its own, named by its path or found on PATH', async () => {
    const packages = join(root, 'tools/node_modules');
    for (const folder of ['.bin', '@maker/agent/bin', 'native']) mkdirSync(join(packages, folder), { recursive: true });
    writeFileSync(join(packages, 'native/says'), 'loaded');
    const program = join(packages, '@maker/agent/bin/agent');
    writeFileSync(program, `#!/bin/sh\ncat ${packages}/native/says\n`, { mode: 0o755 });
    symlinkSync(program, join(packages, '.bin/agent'));
    const env = { ...buildEnvironment({ host: process.env, home }), PATH: '/usr/bin:/bin' };
    const named = await inside('', { argv: [join(packages, '.bin/agent')], env });
    expect(named).toMatchObject({ exitCode: 0, output: 'loaded' });
    const found = await inside('', { argv: ['agent'], env: { ...env, PATH: `${packages}/.bin:/usr/bin:/bin` } });
    expect(found).toMatchObject({ exitCode: 0, output: 'loaded' });
  });

  test('F6 what an agent writes into the workspace opens no other folder of the host', async () => {
    const secret = join(root, 'private');
    mkdirSync(join(secret, 'worktrees/x'), { recursive: true });
    writeFileSync(join(secret, 'key'), 'top secret', { mode: 0o755 });
    writeFileSync(join(secret, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(workspace, '.git'), `gitdir: ${secret}/worktrees/x\n`);
    mkdirSync(join(workspace, 'bin'));
    symlinkSync(join(secret, 'key'), join(workspace, 'bin/tool'));
    const env = { ...buildEnvironment({ host: process.env, home }), PATH: `${workspace}/bin:/usr/bin:/bin` };
    expect((await inside(`cat ${secret}/key`, { env })).output).not.toContain('top secret');
    await inside('', { argv: ['tool'], env });
    expect((await inside(`cat ${secret}/key bin/tool`, { env })).output).not.toContain('top secret');
  });

  test('the network can be taken away', async () => {
    const script = 'cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d " " | sort | tr "\\n" " "';
    expect((await inside(script, { network: false })).output.trim()).toBe('lo');
  });

  test('a loader variable of the plan acts inside, never on the sandbox program itself', async () => {
    const env = { ...buildEnvironment({ host: process.env, home }), LD_PRELOAD: join(workspace, 'evil.so') };
    const result = await inside('echo "$LD_PRELOAD"', { env });
    expect(result.output).toContain(`${workspace}/evil.so\n`);
    expect(result.exitCode).toBe(0);
  });

  test('a folder that cannot be bound is a fault of the sandbox, not a failed command', async () => {
    await expect(inside('true', { writable: [join(root, 'gone')] })).rejects.toMatchObject({
      code: 'sandbox/unavailable',
    });
  });
});

describe('choosing a sandbox', () => {
  test('auto takes bwrap where it works, silently', async () => {
    const warnings: string[] = [];
    const sandbox = await chooseSandbox('auto', { path, warn: (message) => warnings.push(message) });
    expect([sandbox.kind, warnings]).toEqual(['bwrap', []]);
  });

  test('auto without bwrap runs without isolation and says so loudly, with the remedy', async () => {
    const warnings: string[] = [];
    const sandbox = await chooseSandbox('auto', { path: '/nowhere', warn: (message) => warnings.push(message) });
    expect(sandbox.kind).toBe('none');
    expect(warnings.join()).toMatch(/NO SANDBOX.*bwrap is not on PATH.*Install bubblewrap/);
  });

  test('a chosen sandbox that is missing is a fault with the remedy', async () => {
    await expect(chooseSandbox('bwrap', { path: '/nowhere', warn: () => undefined })).rejects.toMatchObject({
      code: 'sandbox/unavailable',
      message: expect.stringContaining('Install bubblewrap') as string,
    });
    await expect(chooseSandbox('docker', silent)).rejects.toMatchObject({ code: 'sandbox/unavailable' });
  });

  test('a bwrap that does not work is found out by the canary', async () => {
    writeFileSync(join(root, 'bwrap'), '#!/bin/sh\necho "No permissions to create a namespace" >&2\nexit 1\n', {
      mode: 0o755,
    });
    await expect(chooseSandbox('bwrap', { path: root, warn: () => undefined })).rejects.toMatchObject({
      message: expect.stringContaining('No permissions to create a namespace') as string,
    });
  });

  test('none is taken as chosen, loudly', async () => {
    const warnings: string[] = [];
    expect((await chooseSandbox('none', { path, warn: (message) => warnings.push(message) })).kind).toBe('none');
    expect(warnings.length).toBe(1);
  });
});

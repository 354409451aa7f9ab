import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { toolFolders } from '#infra/sandbox/tool-folders.ts';

let root = '';
let user = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-tools-')));
  user = join(root, 'people/user');
  mkdirSync(user, { recursive: true });
  vi.stubEnv('HOME', user);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

function program(path: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '#!/bin/sh\n', { mode: 0o755 });
  return join(root, path);
}

function bound(PATH: string[], argv0 = '/bin/sh'): string[] {
  return toolFolders({
    argv: [argv0],
    cwd: '/',
    env: { PATH: PATH.join(':'), HOME: join(root, 'agent-home') },
    workspace: { path: join(root, 'work'), access: 'write' },
    writable: [],
    readable: [],
    network: true,
  });
}

describe('what the sandbox binds of the tools', () => {
  test('a folder on PATH is bound, and the installation around it', () => {
    program('node/bin/node');
    expect(bound([join(root, 'node/bin')])).toEqual([join(root, 'node/bin')]);
    mkdirSync(join(root, 'node/lib'));
    expect(bound([join(root, 'node/bin')])).toEqual([join(root, 'node')]);
  });

  test('the home of the host’s user is never bound: by PATH, by a folder above it, by a link, as an installation', () => {
    mkdirSync(join(user, 'bin'));
    mkdirSync(join(user, 'lib'));
    symlinkSync(user, join(root, 'link'));
    expect(bound([user, dirname(user), join(root, 'link'), '/'])).toEqual([]);
    expect(bound([join(user, 'bin')])).toEqual([join(user, 'bin')]);
  });

  test('a program in the home, or in a folder that is none of tools, is bound as a file', () => {
    const inHome = program('people/user/agent');
    const inProject = program('people/user/secret-project/agent');
    const inConfig = program('people/user/.config/agent');
    const inShare = program('people/user/.local/share/agent');
    for (const path of [inHome, inProject, inConfig, inShare]) expect(bound([], path)).toEqual([path]);
  });

  test('a program in a folder of tools is bound with what lies beside it', () => {
    const inBin = program('people/user/.agent/bin/agent');
    const versioned = program('people/user/.local/share/agent/versions/1.2.3/agent');
    const packaged = program('people/user/node_modules/agent/cli.js');
    expect(bound([], inBin)).toEqual([dirname(inBin)]);
    expect(bound([], versioned)).toEqual([dirname(versioned)]);
    expect(bound([], packaged)).toEqual([join(user, 'node_modules')]);
  });

  test('a link and what it names are both bound', () => {
    const real = program('people/user/somewhere/agent');
    mkdirSync(join(user, 'bin'));
    symlinkSync(real, join(user, 'bin/agent'));
    expect(bound([], join(user, 'bin/agent'))).toEqual([join(user, 'bin'), real]);
  });
});

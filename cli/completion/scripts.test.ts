import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

import { shapeOf } from '#cli/completion/command-tree.ts';
import { completionScript } from '#cli/completion/scripts.ts';
import { shells } from '#cli/completion/shell.ts';
import { buildProgram } from '#cli/program/program.ts';
import { scriptedContext } from '#cli/testing/scripted-context.ts';

const shape = shapeOf(buildProgram(scriptedContext({ cwd: '/' }).context, () => undefined));

function completed(...words: string[]): string[] {
  const script = `${completionScript(shape, 'bash')}
COMP_WORDS=(setpoint "$@"); COMP_CWORD=$#; _setpoint; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .split('\n')
    .filter((word) => word !== '');
}

test('bash accepts the script', () => {
  expect(() => execFileSync('bash', ['-n'], { input: completionScript(shape, 'bash') })).not.toThrow();
});

test('bash completes commands, their aliases, flags, choices and fixed words', () => {
  expect(completed('wat')).toEqual(['watch']);
  expect(completed('ins')).toEqual(['inspect']);
  expect(completed('run', '--no-w')).toEqual(['--no-wait', '--no-worktree']);
  expect(completed('run', 'a.yaml', '--deliver', 'br')).toEqual(['branch']);
  expect(completed('--server', 'http://x', 'worker', '')).toEqual(['control', 'host']);
  expect(completed('completion', 'z')).toEqual(['zsh']);
  expect(completed('init', 'cv')).toEqual(['cve-burndown']);
});

test('a command that takes a file completes files', () => {
  expect(completed('validate', '/etc/host')).toContain('/etc/hosts');
});

test.each(shells)('the script of %s knows every command and flag of the command line', (shell) => {
  const script = completionScript(shape, shell);
  for (const command of shape.commands) {
    for (const name of command.names) expect(script).toContain(name);
    for (const name of command.flags.flatMap((flag) => flag.names)) {
      expect(script).toContain(shell === 'fish' ? name.replace(/^--?/, '') : name);
    }
  }
});

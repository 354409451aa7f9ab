import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

import { type CommandShape, shapeOf } from '#cli/completion/command-tree.ts';
import { exitCodes } from '#cli/failure.ts';
import { buildProgram } from '#cli/program/program.ts';
import { scriptedContext } from '#cli/testing/scripted-context.ts';

const skill = readFileSync(new URL('../../skills/operate-setpoint/SKILL.md', import.meta.url), 'utf8');
const { commands, globalFlags } = shapeOf(buildProgram(scriptedContext({ cwd: '/' }).context, () => undefined));

/** Lines of code blocks and inline code that call the program, without comments. */
const calls = [...skill.matchAll(/^(setpoint .*)$/gm), ...skill.matchAll(/`(setpoint [^`]+)`/g)].map(([, call = '']) =>
  call.replace(/ +#.*/, '').trim(),
);

const commandOf = (name: string): CommandShape | undefined => commands.find(({ names }) => names.includes(name));
const namesOf = (flags: readonly { names: string[] }[]): string[] => flags.flatMap(({ names }) => names);
/** Rules are read without line breaks and emphasis. */
const rules = skill.replaceAll(/\s+/g, ' ').replaceAll('**', '');

test('T-32: the skill has a name and says when it is used', () => {
  const front = /^---\nname: ([a-z0-9-]{1,64})\ndescription: (.{1,1024})\n---\n/.exec(skill);
  expect(front?.slice(1)).toEqual(['operate-setpoint', expect.stringContaining('Use when the operator asks')]);
});

/** What a call names and the program does not have. */
function unknownIn(call: string): string[] {
  const [, name = '', ...words] = call.split(' ');
  const command = commandOf(name);
  if (command === undefined) return [`setpoint ${name}`];
  const known = namesOf([...command.flags, ...globalFlags]);
  return words.filter((word) => /^--?[a-z]/.test(word) && !known.includes(word)).map((flag) => `${call}: ${flag}`);
}

test('T-32: every command and flag that the skill names is there', () => {
  expect(calls.length).toBeGreaterThan(25);
  expect(calls.flatMap(unknownIn)).toEqual([]);
  const everyFlag = namesOf([...commands.flatMap(({ flags }) => flags), ...globalFlags]);
  const flags = [...skill.matchAll(/`(--[a-z-]+)[^`]*`/g)].map(([, flag = '']) => flag);
  expect(flags.filter((flag) => !everyFlag.includes(flag))).toEqual([]);
});

test('T-32: the skill tells the rules of an operator', () => {
  for (const said of [
    'Use explicit commands, never the wizard.',
    'setpoint validate',
    'setpoint doctor',
    '--dry-run',
    '--detach',
    '--no-wait',
    'Read JSON',
    'Only `succeeded` is done.',
    'Never enable delivery by yourself.',
    'Never approve, reject or push back a task on your own.',
    'read `why` and `remedy`',
    'never the operator',
    'clean up',
    'setpoint cleanup',
  ]) {
    expect(rules).toContain(said);
  }
  const { interrupted: _left, ...told } = exitCodes;
  for (const code of Object.values(told)) expect(skill).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'));
});

import type { Facts } from '#core/doctor/facts.ts';
import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import { type Found, loopOf, type Rule } from '#core/doctor/rule.ts';
import { readShell } from '#core/doctor/shell/script.ts';
import { baseName, kindOf } from '#core/doctor/shell/kinds.ts';
import { programsIn } from '#core/doctor/shell/program.ts';

/** `>` in YAML makes one line of what looks like several commands. */
export const folded: Rule = {
  id: 'check/folded-commands',
  severity: 'warning',
  missing: 'signal',
  title: 'Several commands are written in a folded text, which makes one command of them.',
  why: 'YAML joins the lines of `>` and of unquoted text with spaces: the second command becomes arguments of the first and never runs.',
  remedy: 'Write `|` in place of `>`, with `set -e` as the first line; or give each command a check of its own.',
  example: {
    wrong:
      'task: Make it pass.\nagent: codex\nchecks:\n  - run: >\n      npm run lint\n      npm test\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
    right:
      'task: Make it pass.\nagent: codex\nchecks:\n  - npm run lint\n  - npm test\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
  },
  find: (facts) => facts.commands.flatMap((command) => found(facts, command)),
};

function found({ source }: Facts, { path, step }: JudgedCommand): Found[] {
  const lines = (source?.joinedLines(path) ?? []).map((line) => line.trim()).filter((line) => line !== '');
  const second = lines.find(
    (line, index) => index > 0 && beginsCommand(line, lines[0] ?? '') && ends(lines[index - 1] ?? ''),
  );
  if (second === undefined) return [];
  const message = `\`${second}\` is no command of its own here: it is joined to the line before it`;
  return [{ path, message, ...loopOf(step) }];
}

/** The line before asks for nothing more. */
function ends(line: string): boolean {
  return !/(?:\\|&&|\|\||[|;(]|\bdo|\bthen|\belse)$/.test(line);
}

const plainCommands: ReadonlySet<string> = new Set([
  'cd',
  'set',
  'export',
  'echo',
  'test',
  '[',
  'grep',
  'node',
  'bash',
  'sh',
  'docker',
  'git',
  'curl',
  'rm',
  'mkdir',
  'source',
]);

function beginsCommand(line: string, first: string): boolean {
  const script = readShell(line);
  const [program] = script === undefined ? [] : programsIn(script);
  if (program === undefined) return false;
  if (kindOf(program) !== undefined || plainCommands.has(program.name) || program.name.startsWith('./')) return true;
  return baseName(program.name) === baseName(first.split(/\s/)[0] ?? '');
}

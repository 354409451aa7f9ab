import type { SyntaxNode } from 'unbash';

import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import { shortened } from '#core/doctor/loop-view.ts';
import { type Found, loopOf, type Rule } from '#core/doctor/rule.ts';
import type { ShellScript } from '#core/doctor/shell/script.ts';
import { isSignal } from '#core/doctor/rules/commands-that-cannot-fail.ts';

/** `! grep …` passes for every failure, also for that of grep itself. */
export const negated: Rule = {
  id: 'check/negated',
  severity: 'warning',
  missing: 'signal',
  title: 'A leading `!` makes every failure of the command a success.',
  why: '`!` passes for any exit code but 0: also for 2 (it could not read the files) and 127 (it is not installed).',
  remedy: 'Name the exit code that is meant: `{ run: grep -rn TODO src, expect: { exit: 1 } }`.',
  example: {
    wrong: 'task: Remove every TODO.\nagent: codex\nchecks:\n  - "! grep -rn TODO src"\n',
    right: 'task: Remove every TODO.\nagent: codex\nchecks:\n  - { run: grep -rn TODO src, expect: { exit: 1 } }\n',
  },
  find: (facts) => facts.commands.filter(isSignal).flatMap(found),
};

/** What says no by 1, and by more that it could not look. */
const saysNoByOne = /^!\s+(?:grep|egrep|fgrep|rg|git grep|diff|cmp)\b/;

function found({ script, path, command, role, step, wants }: JudgedCommand): Found[] {
  const judge = wants === 0 ? negatedIn(script) : undefined;
  if (judge === undefined) return [];
  const written = command.trim();
  const positive = written.replace(/^!\s+/, '');
  const mends = role === 'check' && saysNoByOne.test(written) && judge.type === 'Command';
  return [
    {
      path,
      message: `\`${shortened(command)}\` passes whenever \`${shortened(positive)}\` fails, for whatever reason`,
      ...loopOf(step),
      ...(mends ? { fix: { kind: 'expectExit' as const, path, command: positive, exit: 1 } } : {}),
    },
  ];
}

/** What a script negates that is nothing else; `! test -f x` and `! [ … ]` say no by 1, and no other no matters. */
function negatedIn(script: ShellScript | undefined): SyntaxNode | undefined {
  const [only, more] = script?.root.commands ?? [];
  if (only?.command.type !== 'Pipeline' || more !== undefined) return undefined;
  const { prefixes, commands } = only.command;
  const [judge, piped] = commands;
  if (judge === undefined || prefixes.filter(({ type }) => type === 'Negation').length !== 1) return undefined;
  if (isTest(judge)) return undefined;
  return piped === undefined ? judge : only.command;
}

function isTest(node: SyntaxNode): boolean {
  if (node.type !== 'Command') return node.type === 'TestCommand';
  return node.name?.value === 'test' || node.name?.value === '[';
}

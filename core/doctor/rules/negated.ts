import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import { shortened } from '#core/doctor/loop-view.ts';
import type { Found, Rule } from '#core/doctor/rule.ts';
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
  const [only, more] = script?.root.commands ?? [];
  if (only?.command.type !== 'Pipeline' || more !== undefined || wants !== 0) return [];
  const { prefixes, commands } = only.command;
  if (prefixes.filter(({ type }) => type === 'Negation').length !== 1) return [];
  // `! test -f x` and `! [ … ]` say no by 1 and nothing else that matters.
  const judge = commands[0]?.type === 'Command' ? commands[0].name?.value : undefined;
  if (judge === 'test' || judge === '[' || commands[0]?.type === 'TestCommand') return [];
  const positive = command.trim().replace(/^!\s+/, '');
  const mends = role === 'check' && saysNoByOne.test(command.trim()) && commands.length === 1;
  return [
    {
      path,
      message: `\`${shortened(command)}\` passes whenever \`${shortened(positive)}\` fails, for whatever reason`,
      ...(step.loop === undefined ? {} : { loop: step.id }),
      ...(mends ? { fix: { kind: 'expectExit' as const, path, command: positive, exit: 1 } } : {}),
    },
  ];
}

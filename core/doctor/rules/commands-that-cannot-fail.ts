import type { Statement } from 'unbash';

import type { Facts } from '#core/doctor/facts.ts';
import type { JudgedCommand } from '#core/doctor/judged-commands.ts';
import { type Found, loopOf, type Rule } from '#core/doctor/rule.ts';
import { baseName } from '#core/doctor/shell/kinds.ts';
import { canFail, plainMode } from '#core/doctor/shell/exit-status.ts';
import { shortened } from '#core/doctor/loop-view.ts';

/** A command whose exit code says nothing (B9). */
export const cannotFail: Rule = {
  id: 'check/cannot-fail',
  severity: 'warning',
  missing: 'signal',
  title: 'The command exits with 0 whatever it finds.',
  why: 'An exit code of 0 is what lets work pass, and this command gives it to good and to bad work.',
  remedy: 'Let the exit code of the command that judges be the last one: drop `|| true` and what comes after it.',
  example: {
    wrong:
      'task: Make the tests pass.\nagent: codex\nchecks:\n  - npm test || true\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
    right:
      'task: Make the tests pass.\nagent: codex\nchecks:\n  - npm test\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
  },
  find: (facts) => facts.commands.filter((command) => isSignal(command)).flatMap((command) => found(command)),
};

/** A command step without a loop may well be one that only does something, unless it is one that judges. */
export function isSignal({ role, byExit, step, kinds }: JudgedCommand): boolean {
  if (!byExit || role === 'when') return false;
  return role !== 'step' || step.loop !== undefined || kinds.size > 0;
}

function found({ script, path, command, step, wants }: JudgedCommand): Found[] {
  if (script === undefined || wants !== 0 || canFail(script.root, plainMode)) return [];
  const { because, find, replace } = reason(script.root.commands, script.text);
  const once = find !== undefined && command.split(find).length === 2;
  return [
    {
      path,
      message: `\`${shortened(command)}\` always exits with 0: ${because}`,
      ...loopOf(step),
      ...(once ? { fix: { kind: 'replace' as const, path, find, replace: replace ?? '' } } : {}),
    },
  ];
}

interface Reason {
  because: string;
  /** What hides the exit code, as it is written, and what to write in its place. */
  find?: string;
  replace?: string;
}

function reason(statements: readonly Statement[], text: string): Reason {
  const last = statements.at(-1);
  const before = statements.at(-2);
  if (last === undefined) return { because: 'there is no command in it' };
  if (last.background === true) return { because: '`&` leaves the command running in the background' };
  const rescued = rescueIn(last, text);
  if (rescued !== undefined) return rescued;
  if (before !== undefined && canFail(before, plainMode)) return outlasted(before, last, text);
  return { because: `\`${shortened(text.slice(last.pos, last.end))}\` judges nothing` };
}

/** `|| true`. */
function rescueIn({ command, end }: Statement, text: string): Reason | undefined {
  if (command.type !== 'AndOr' || command.operators.at(-1) !== '||') return undefined;
  const [judge, rescue] = command.commands.slice(-2);
  if (judge === undefined || rescue === undefined) return undefined;
  const because = `\`|| ${text.slice(rescue.pos, rescue.end)}\` turns every failure into a success`;
  return { because, find: text.slice(judge.end, end), replace: '' };
}

/** `; true`: what does nothing is dropped, what says something comes only after what passed. */
function outlasted(before: Statement, last: Statement, text: string): Reason {
  const words = text.slice(last.pos, last.end);
  const because = `the exit code is that of its last command, \`${shortened(words)}\``;
  const isIdle = /^(?:true|:|exit 0|return 0)$/.test(words);
  return { because, find: text.slice(before.end, last.end), replace: isIdle ? '' : ` && ${words}` };
}

const emptyHanded: readonly { flag: RegExp; what: string }[] = [
  { flag: /^--if-present$/, what: 'passes when there is no such script' },
  { flag: /^--pass-?with-?no-?tests$/i, what: 'passes when no test is found' },
  { flag: /^--no-tests=(?:ignore|pass)$/, what: 'passes when no test is found' },
];
const toothless: readonly { flag: RegExp; what: string }[] = [
  { flag: /^--exit-zero$/, what: 'makes every finding a success' },
  { flag: /^--(?:issues-)?exit-code=0$/, what: 'makes every finding a success' },
  { flag: /^--ignore-errors$/, what: 'goes on after errors and forgets them' },
];

/** A flag that lets a command pass without having judged anything. */
export const flagThatPasses: Rule = {
  id: 'check/passes-on-nothing',
  severity: 'warning',
  missing: 'signal',
  title: 'The command passes where there was nothing to judge.',
  why: 'An agent that deletes or renames what is judged then passes, and so does work that never had a test.',
  remedy: 'Drop the flag that allows it, or ask for evidence: `evidence: { tests: ">=1" }`.',
  example: {
    wrong:
      'task: Make the tests pass.\nagent: codex\nchecks:\n  - npx vitest run --passWithNoTests\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
    right:
      'task: Make the tests pass.\nagent: codex\nchecks:\n  - npx vitest run\nworkspace: { setup: npm ci, protect: ["test/**"] }\n',
  },
  find: (facts: Facts) => facts.commands.filter(isSignal).flatMap(flagsOf),
};

function flagsOf({ programs, path, command, step, script, evidence }: JudgedCommand): Found[] {
  const flags = evidence ? toothless : [...emptyHanded, ...toothless];
  const hits = programs.flatMap((program) =>
    program.args.flatMap((arg) => {
      const known = flags.find(({ flag }) => flag.test(arg));
      return known === undefined ? [] : [{ program, arg, what: known.what }];
    }),
  );
  const named = hits.map(({ program, arg, what }): Found => {
    const written = script?.text.slice(program.node.pos, program.node.end) ?? '';
    const replace = written.replace(` ${arg}`, '');
    const isOnce = replace !== written && command.split(written).length === 2;
    return {
      path,
      message: `\`${arg}\` in \`${shortened(isOnce ? written : command)}\` ${what}`,
      ...loopOf(step),
      ...(isOnce ? { fix: { kind: 'replace' as const, path, find: written, replace } } : {}),
    };
  });
  return [...named, ...(evidence ? [] : nodeTests({ programs, path, step, script }))];
}

/** Node's own runner ends with 0 where there is no test. In a longer script something else may look at what it did. */
function nodeTests({
  programs,
  path,
  step,
  script,
}: Pick<JudgedCommand, 'programs' | 'path' | 'step' | 'script'>): Found[] {
  if (script?.root.commands.length !== 1) return [];
  const runs = programs.some(({ name, args }) => baseName(name) === 'node' && args.includes('--test'));
  if (!runs) return [];
  return [{ path, message: '`node --test` passes when no test is found', remedy: askForTests, ...loopOf(step) }];
}

const askForTests = 'Ask for evidence beside it: `evidence: { tests: ">=1" }`.';

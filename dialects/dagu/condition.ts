import type { Condition } from '#core/check/condition.ts';
import { present } from '#core/definition/present.ts';
import { conditionCommand } from '#dialects/dagu/command.ts';
import { has, mappingOf } from '#dialects/dagu/keys.ts';
import type { Shell } from '#dialects/dagu/shell.ts';
import type { TextScope } from '#dialects/dagu/texts.ts';
import { doubleQuoted } from '#dialects/dagu/texts.ts';
import type { Written } from '#dialects/dagu/values.ts';
import { written } from '#dialects/dagu/values.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { oneOrMore } from '#dialects/source/reading.ts';
import { flag } from '#dialects/source/scalars.ts';

/** As written: a command that is met by exit 0, or, with `expected`, a value that is compared. */
export interface WrittenCondition {
  condition: Written;
  expected?: Written;
  negate?: boolean;
}

/** Dagu gives conditions no time limit of their own; a test suite may take a while. */
export const conditionTimeSeconds = 3600;

const preconditionMapping = mappingOf({
  shape: { condition: written, eval: written, expected: written, negate: flag },
  older: { command: 'condition' },
});

const precondition: Field<WrittenCondition> = (node, path, reading) => {
  if (node.kind === 'scalar') {
    const command = written(node, path, reading);
    return command === undefined ? undefined : { condition: command };
  }
  const read = preconditionMapping(node, path, reading);
  if (read === undefined) return undefined;
  reportCondition(node, path, reading);
  const { condition = read.eval, expected, negate } = read;
  if (condition === undefined) return undefined;
  return { condition, ...present({ expected }), ...(negate === true ? { negate } : {}) };
};

function reportCondition(node: SourceNode, path: string, reading: Reading): void {
  const [hasCondition, hasEval] = [has(node, 'condition', 'command'), has(node, 'eval')];
  if (hasCondition && hasEval) {
    reading.report(path, 'definition/conflict', 'a condition has `condition` or `eval`, not both; keep one');
  }
  if (hasEval && !has(node, 'expected')) {
    reading.report(path, 'definition/missing', '`eval` gives a value; say with `expected` what it is to be');
  }
  if (hasCondition || hasEval) return;
  const message = 'a condition needs `condition`: a command, or a value beside `expected`';
  reading.report(path, 'definition/missing', message);
}

/** One condition or several, all of which must hold. */
export const preconditions: Field<WrittenCondition[]> = oneOrMore(precondition, 'conditions');

interface ConditionOf {
  shell?: Shell;
  positional: readonly string[];
}

/** What is judged. An exit code of 126 and more says that it could not be: then it is neither met nor unmet (A8). */
export function conditionOf(
  { condition, expected, negate }: WrittenCondition,
  of: ConditionOf,
  scope: TextScope,
): Condition {
  const common = { timeSeconds: conditionTimeSeconds, ...(negate === true ? { negate } : {}) };
  if (expected === undefined) {
    return { command: conditionCommand(condition, of, scope), compare: 'exitCode', returns: '0', ...common };
  }
  const value = valueLines(condition, scope);
  if (expected.text.startsWith('num:')) {
    return {
      command: [...value, numberTest(expected, scope)].join('\n'),
      compare: 'exitCode',
      returns: '0',
      ...common,
    };
  }
  const command = [...value, `printf '%s\\n' "$value"`].join('\n');
  const isPattern = expected.text.startsWith('re:');
  const returns = isPattern ? expected.text.slice('re:'.length) : expected.text.trimEnd();
  const how = isPattern ? ({ by: 'pattern', caseSensitive: true } as const) : ({ by: 'line' } as const);
  return { command, compare: 'stdout', returns, ...how, ...common };
}

/** The value is text in which variables and commands are worked out; a command that cannot run is no value. */
function valueLines(condition: Written, scope: TextScope): string[] {
  const text = doubleQuoted({ ...condition, text: condition.text.trimEnd() }, scope);
  const runs = /`|\$\(/.test(text) ? ['status=$?', '[ "$status" -lt 126 ] || exit "$status"'] : [];
  return [...scope.environment.exports(), `value="${text}"`, ...runs];
}

const operators: Readonly<Record<string, string>> = {
  '>=': '>=',
  '<=': '<=',
  '>': '>',
  '<': '<',
  '==': '==',
  '=': '==',
  '!=': '!=',
};

/** `num:>=1`: what is no number is no answer. */
function numberTest({ text, path }: Written, scope: TextScope): string {
  const [, operator = '', limit] = /^num:\s*(>=|<=|==|!=|=|>|<)?\s*(-?\d+(?:\.\d+)?)$/.exec(text.trim()) ?? [];
  if (limit === undefined) {
    const message = `\`${text.slice(0, 80)}\` compares with no number; write it as \`num:>=1\``;
    scope.reading.report(path, 'definition/unknown-value', message);
    return 'exit 126';
  }
  const test = `exit !(value + 0 ${operators[operator] ?? '=='} ${limit})`;
  const number = String.raw`^[ \t]*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?[ \t]*$`;
  return `awk -v value="$value" 'BEGIN { if (value !~ /${number}/) exit 126; ${test} }'`;
}

import type { Condition } from '#core/check/condition.ts';
import type { AgentDefinition, StepDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading, ShapeOf } from '#dialects/source/reading.ts';
import { listOf, mapOf, mapping, notYet, oneOrMore } from '#dialects/source/reading.ts';
import { duration, flag, integer, money, noneOr, number, text, textOrEmpty, word } from '#dialects/source/scalars.ts';

export const time = duration({ zero: false });
export const onExhausted = word(['fail', 'ask', 'pause', 'succeed']);
export const env = mapOf(textOrEmpty, 'a mapping from names to values');
export const secrets = oneOrMore(text, 'names of secrets');
export const mode = word(['all', 'any']);

/** How an agent is written, its own time limit beside it. */
export interface AgentWritten {
  agent: AgentDefinition;
  timeSeconds?: number;
}

const agentMapping = mapping({
  name: text,
  model: text,
  effort: text,
  args: listOf(text, 'a list of arguments'),
  session: word(['fresh', 'resume']),
  fallback: oneOrMore(text, 'names of agents'),
  time,
  quiet: noneOr(time),
  command: listOf(text, 'a list: the program and its arguments'),
  prompt: word(['stdin', 'argument', 'file']),
  output: word(['text', 'json']),
  passes: listOf(text, 'a list of shell commands, one a pass'),
});

/** `codex`, or `{name: codex, model, …}`. */
export const agent: Field<AgentWritten> = (node, path, reading) => {
  if (node.kind === 'scalar') {
    const name = text(node, path, reading);
    return name === undefined ? undefined : { agent: { name } };
  }
  const read = agentMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (read.name === undefined) {
    if (!hasKey(node, 'name'))
      reading.report(path, 'definition/missing', '`agent` needs a `name`, such as `codex` or `auto`');
    return undefined;
  }
  const { name, model, effort, session, fallback, command, prompt, output, passes } = read;
  const written = present({ model, effort, args: read.args, session, fallback, quietSeconds: read.quiet });
  const custom = nonEmpty(command) ? { command, ...present({ prompt, output }) } : undefined;
  if (custom === undefined && (prompt !== undefined || output !== undefined)) {
    reading.report(
      path,
      'definition/conflict',
      '`prompt` and `output` of an agent belong to `command: [program, argument…]`',
    );
  }
  const scripted = nonEmpty(passes) ? { passes } : undefined;
  return { agent: { name, ...written, ...present({ custom, scripted }) }, ...present({ timeSeconds: read.time }) };
};

const conditionMapping = {
  run: text,
  compare: word(['stdout', 'stderr', 'exitCode', 'auto']),
  returns: textOrEmpty,
  by: word(['line', 'pattern']),
  caseSensitive: flag,
  negate: flag,
  time,
};

/** `test -f done`, met by exit 0, or `{run, compare, returns, time}`. */
export const condition: Field<Condition> = (node, path, reading) => {
  if (node.kind === 'map') return conditionOf(node, path, reading, mapping(conditionMapping)(node, path, reading));
  const command = text(node, path, reading);
  return command === undefined ? undefined : exitsZero(command);
};

const conditions: Field<Condition[]> = (node, path, reading) =>
  oneOrMore(condition, 'a list of conditions')(node, path, reading);

const whenMapping = mapping({
  ...conditionMapping,
  and: conditions,
  else: word(['skip', 'stop', 'cancel']),
  onError: word(['pause', 'fail']),
});

/** A condition with what follows when it is not met. */
export const when: Field<NonNullable<StepDefinition['when']>> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const read = condition(node, path, reading);
    return read === undefined ? undefined : { condition: read };
  }
  const read = whenMapping(node, path, reading);
  const made = conditionOf(node, path, reading, read);
  return made === undefined
    ? undefined
    : { condition: made, ...present({ and: read?.and, onUnmet: read?.else, onError: read?.onError }) };
};

type ConditionRead = ShapeOf<typeof conditionMapping> | undefined;

function conditionOf(node: SourceNode, path: string, reading: Reading, read: ConditionRead): Condition | undefined {
  if (read?.run === undefined) {
    if (read !== undefined && !hasKey(node, 'run'))
      reading.report(path, 'definition/missing', 'a condition needs `run: <command>`');
    return undefined;
  }
  const plain = exitsZero(read.run);
  const compare = read.compare ?? (read.returns === undefined ? 'exitCode' : 'auto');
  if (read.returns === undefined && (compare === 'stdout' || compare === 'stderr')) {
    reading.report(path, 'definition/missing', `\`compare: ${compare}\` needs \`returns\`: the text to compare with`);
  }
  const { returns, by, caseSensitive, negate } = read;
  return { ...plain, compare, ...present({ returns, by, caseSensitive, negate, timeSeconds: read.time }) };
}

function exitsZero(command: string): Condition {
  return { command, compare: 'exitCode', returns: '0', timeSeconds: defaults.conditionTimeSeconds };
}

export const exitCodes = oneOrMore(integer(0, 255), 'a list of exit codes');
const retryWords = word(['infrastructure', 'notVerdict', 'failure']);

export const retry = mapping({
  on: ((node, path, reading) =>
    node.kind === 'list' ? exitCodes(node, path, reading) : retryWords(node, path, reading)) as Field<
    'infrastructure' | 'notVerdict' | 'failure' | number[]
  >,
  limit: integer(0, 1000),
  every: duration({ zero: true }),
  backoff: number(1, 100),
  max: duration({ zero: true }),
});

export const limits = mapping({
  passes: integer(1, 1_000_000),
  time: noneOr(time),
  deadline: time,
  spend: money,
  noProgress: integer(0, 1000),
  feedback: integer(1, 10_000_000),
});

const paths = oneOrMore(text, 'a list of file patterns');

export const workspace = mapping({
  repo: text,
  base: text,
  worktree: flag,
  protect: paths,
  keep: paths,
  setup: text,
  lane: word(['run', 'pass']),
  envFiles: paths,
  afterwards: word(['keep', 'remove']),
  provide: notYet('use `setup` to put ignored files into place, or `provide` of a check with `where: commit`'),
});

const deliveryMode = word(['none', 'commit', 'branch', 'pr', 'merge']);
const deliverMapping = mapping({
  mode: deliveryMode,
  branch: text,
  title: text,
  body: text,
  labels: notYet('set labels on the pull request by hand'),
  reviewers: notYet('ask for reviews on the pull request by hand'),
  watch: notYet('open the pull request from the delivered branch and watch it there'),
});

/** `branch`, or `{mode: branch, title, …}`. */
export const deliver: Field<{
  mode?: 'none' | 'commit' | 'branch' | 'pr' | 'merge';
  branch?: string;
  title?: string;
  body?: string;
}> = (node, path, reading) => {
  if (node.kind === 'map') return deliverMapping(node, path, reading);
  const read = deliveryMode(node, path, reading);
  return read === undefined ? undefined : { mode: read };
};

const inputMapping = mapping({ type: word(['string', 'number', 'boolean']), required: flag, default: textOrEmpty });

/** `{type: string, required, default}`. */
export const input: Field<{ type: 'string' | 'number' | 'boolean'; required: boolean; default?: string }> = (
  node,
  path,
  reading,
) => {
  const read = inputMapping(node, path, reading);
  if (read === undefined) return undefined;
  return { type: read.type ?? 'string', required: read.required ?? false, ...present({ default: read.default }) };
};

export function hasKey(node: SourceNode, key: string): boolean {
  return node.kind === 'map' && node.entries.some((entry) => entry.key === key);
}

function nonEmpty(list: string[] | undefined): list is string[] {
  return list !== undefined && list.length > 0;
}

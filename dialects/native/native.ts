import type { Definition, StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { Dialect } from '#dialects/dialect.ts';
import { checks } from '#dialects/native/checks.ts';
import {
  agent,
  deliver,
  env,
  hasKey,
  input,
  limits,
  mode,
  onExhausted,
  retry,
  secrets,
  workspace,
} from '#dialects/native/parts.ts';
import { retryOf, steps } from '#dialects/native/steps.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, ShapeOf } from '#dialects/source/reading.ts';
import { mapOf, mapping, notYet, oneOrMore, Reading } from '#dialects/source/reading.ts';
import { text, word } from '#dialects/source/scalars.ts';

const version: Field<1> = (node, path, reading) => {
  if (node.kind === 'scalar' && node.text === '1') return 1;
  reading.report(path, 'definition/version', 'this program knows version 1 of the format; write `setpoint: 1`');
  return undefined;
};

const shape = {
  setpoint: version,
  name: text,
  project: text,
  labels: oneOrMore(text, 'a list of words'),
  inputs: mapOf(input, 'a mapping from names to `{type, required, default}`'),
  limits,
  onExhausted,
  workspace,
  baseline: word(['report', 'newFailuresOnly', 'mustPass', 'off']),
  deliver,
  task: text,
  agent,
  checks,
  mode,
  retry,
  env,
  secrets,
  steps,
  on: notYet('start the run from your scheduler or CI with `setpoint run`'),
  concurrency: notYet('give `setpoint run` a `--key`, so that the same work is started once'),
  callback: notYet('follow the run with `setpoint watch`, or read its last line of `--json`'),
} as const;

type NativeRead = ShapeOf<typeof shape>;
const topMapping = mapping(shape);

/** Keys that say what the one step of the short form does. */
const shortKeys = ['task', 'agent', 'checks', 'mode', 'retry', 'env', 'secrets'] as const;

/** The native form (docs/guide/writing-loops.md), YAML 1.2 or JSON: short (`task`, `agent`, `checks`) or long (`steps`). */
export const native: Dialect = {
  name: 'native',
  fits: (node) => ['setpoint', 'task', 'steps'].some((key) => hasKey(node, key)),
  read: (node, options) => {
    const reading = new Reading();
    const read = topMapping(node, '', reading);
    if (read === undefined) return { issues: reading.issues, pathInDocument: (path) => path };
    const long = hasKey(node, 'steps');
    if (long) reportShortKeys(node, reading);
    else reportMissing(node, reading);
    const own = long ? read.steps : [shortStep(read)];
    const name = read.name ?? options.name;
    const definition: Definition | undefined = own === undefined ? undefined : definitionOf(read, own, name);
    return { issues: reading.issues, ...present({ definition }), pathInDocument: long ? (path) => path : shortPath };
  },
};

function definitionOf(read: NativeRead, own: StepDefinition[], name: string | undefined): Definition {
  const { project, labels, inputs, baseline, workspace: place, deliver: mode_, onExhausted: exhausted } = read;
  return {
    steps: own,
    ...present({ name, project, labels, inputs, baseline, workspace: place, deliver: mode_, onExhausted: exhausted }),
    ...(read.limits === undefined ? {} : { limits: limitsOf(read.limits) }),
  };
}

function limitsOf(read: NonNullable<NativeRead['limits']>): NonNullable<Definition['limits']> {
  const { passes, time, deadline, spend, noProgress } = read;
  return present({ passes, timeSeconds: time, deadlineSeconds: deadline, spendUsd: spend, noProgress });
}

/** The short form is the long one with one step that loops onto itself until its checks pass. */
function shortStep(read: NativeRead): StepDefinition {
  const { mode: combine, env: variables, secrets: names, retry: again } = read;
  return {
    id: 'work',
    after: [],
    work: { kind: 'agent', agent: read.agent?.agent ?? { name: 'auto' }, prompt: read.task ?? '' },
    checks: read.checks ?? [],
    loop: { to: 'work', on: 'fail' },
    ...present({ mode: combine, env: variables, secrets: names, timeSeconds: read.agent?.timeSeconds }),
    ...(again === undefined ? {} : { retry: retryOf(again) }),
  };
}

function reportMissing(node: SourceNode, reading: Reading): void {
  if (!hasKey(node, 'task')) {
    reading.report('', 'definition/missing', 'a definition needs `task` (with `agent` and `checks`) or `steps`');
    return;
  }
  if (!hasKey(node, 'agent')) {
    reading.report(
      '',
      'definition/missing',
      '`agent` is missing; name one, or `auto` for the first one that is installed',
    );
  }
  const own = node.kind === 'map' ? node.entries.find((entry) => entry.key === 'checks')?.value : undefined;
  if (own === undefined || (own.kind === 'list' && own.items.length === 0)) {
    const message =
      'nothing outside the agent judges the work; write at least one check under `checks`, such as `npm test`';
    reading.report(own === undefined ? '' : 'checks', 'loop/no-signal', message);
  }
}

function reportShortKeys(node: SourceNode, reading: Reading): void {
  for (const key of shortKeys) {
    if (!hasKey(node, key)) continue;
    const instead = key === 'task' ? 'write it as the `prompt` of a step' : 'write it in the step that it is meant for';
    reading.report(
      key,
      'definition/conflict',
      `\`${key}\` belongs to the short form, and \`steps\` is given; ${instead}`,
    );
  }
}

/** Where the short form says what the long form says at `path`. */
function shortPath(path: string): string {
  const [, , key = '', ...rest] = path.split('.');
  if (path !== 'steps.work' && !path.startsWith('steps.work.')) return path;
  switch (key) {
    case 'prompt':
      return 'task';
    case 'time':
      return 'agent.time';
    case 'loop':
      return rest[0] === 'limit' ? 'limits.passes' : '';
    default:
      return [key, ...rest].join('.');
  }
}

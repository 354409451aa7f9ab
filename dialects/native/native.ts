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
import { longPath, pathsOf, shortPath } from '#dialects/native/paths.ts';
import { outputOf } from '#dialects/native/output-of.ts';
import { handlers, retryOf, steps } from '#dialects/native/steps.ts';
import type { At } from '#dialects/native/at.ts';
import { workShape } from '#dialects/native/work.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, ShapeOf } from '#dialects/source/reading.ts';
import { below, mapOf, mapping, notYet, oneOrMore, Reading } from '#dialects/source/reading.ts';
import { flag, text, word } from '#dialects/source/scalars.ts';
import { triggers } from '#dialects/native/triggers.ts';

/** What was read of a definition, and where it says what the long form says at a path. */
interface Written {
  /** Undefined when nothing could be made of it, which is an issue. */
  definition: Definition | undefined;
  pathInDocument: (path: string) => string;
}

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
  handlers,
  artifacts: flag,
  on: triggers,
  concurrency: notYet('give `setpoint run` a `--key`, so that the same work is started once'),
  definitions,
  outputs: mapOf(outputOf, 'a mapping from names to outputs of steps'),
  keepBetweenRuns: oneOrMore(text, 'a list of file patterns'),
  callback: mapping({ url: text, secret: text }),
} as const;

type NativeRead = ShapeOf<typeof shape>;
const topMapping = mapping(shape);

/** Keys that say what the one step of the short form does. */
const shortKeys = ['task', 'agent', 'checks', 'mode', 'retry', 'env', 'secrets'] as const;

/** The native form (docs/guide/writing-loops.md), YAML 1.2 or JSON: short (`task`, `agent`, `checks`) or long (`steps`). */
export const native: Dialect = {
  name: 'native',
  fits: (node) => ['setpoint', 'task'].some((key) => hasKey(node, key)) || hasStepsByName(node),
  read: (node, options) => {
    const reading = new Reading();
    const { definition, pathInDocument } = readDefinition(node, { path: '', reading }, options.name);
    return { issues: reading.issues, ...present({ definition }), pathInDocument };
  },
};

/** Other dialects write `steps` as a list, or have other words for what each does. */
function hasStepsByName(node: SourceNode): boolean {
  const steps = node.kind === 'map' ? node.entries.find(({ key }) => key === 'steps')?.value : undefined;
  if (steps?.kind !== 'map' || steps.entries.length === 0) return steps !== undefined && steps.kind !== 'list';
  return steps.entries.some(({ value }) => Object.keys(workShape).some((key) => hasKey(value, key)));
}

function readDefinition(node: SourceNode, at: At, nameOfFile: string | undefined): Written {
  const { path, reading } = at;
  const read = topMapping(node, path, reading);
  if (read === undefined) return { definition: undefined, pathInDocument: (inside) => inside };
  const long = hasKey(node, 'steps');
  if (long) reportShortKeys(node, at);
  else reportMissing(node, at);
  const own = long ? read.steps : [shortStep(read)];
  const name = read.name ?? nameOfFile;
  const definition = own === undefined ? undefined : definitionOf(read, own, name);
  const children = read.definitions ?? {};
  return { definition, pathInDocument: pathsOf(long ? (inside) => longPath(node, inside) : shortPath, children) };
}

/** Definitions inside a definition are written as it is, and may hold others. */
function definitions(node: SourceNode, path: string, reading: Reading): Record<string, Written> | undefined {
  if (node.kind !== 'map') return reading.reportType(node, path, 'a mapping from names to definitions');
  const children = node.entries.map(({ key, value }) => {
    const at = { path: below(path, key), reading };
    return [key, readDefinition(value, at, key)] as const;
  });
  return Object.fromEntries(children);
}

function definitionOf(read: NativeRead, own: StepDefinition[], name: string | undefined): Definition {
  const { project, labels, inputs, baseline, workspace: place, deliver: mode_, onExhausted: exhausted } = read;
  const { outputs, keepBetweenRuns, callback, handlers: after, artifacts, on } = read;
  return {
    steps: own,
    ...present({ name, project, labels, inputs, baseline, workspace: place, deliver: mode_, onExhausted: exhausted }),
    ...present({ outputs, keepBetweenRuns, handlers: after, artifacts, on, children: childrenOf(read) }),
    ...(callback === undefined
      ? {}
      : { callback: { url: callback.url ?? '', ...present({ secret: callback.secret }) } }),
    ...(read.limits === undefined ? {} : { limits: limitsOf(read.limits) }),
  };
}

/** One that could not be read gets a stand-in, so that calls of it are right; its issues keep it from ever being run. */
function childrenOf({ definitions: written }: NativeRead): Definition['children'] {
  if (written === undefined) return undefined;
  const standIn = { steps: [{ id: 'work', after: [], work: { kind: 'run' as const, command: ':' }, checks: [] }] };
  const children = Object.entries(written).map(([name, { definition }]) => [name, definition ?? standIn] as const);
  return Object.fromEntries(children);
}

function limitsOf(read: NonNullable<NativeRead['limits']>): NonNullable<Definition['limits']> {
  const { passes, time, deadline, spend, noProgress, feedback } = read;
  const amounts = { passes, timeSeconds: time, deadlineSeconds: deadline, spendUsd: spend, noProgress };
  return present({ ...amounts, feedbackChars: feedback });
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

function reportMissing(node: SourceNode, { path, reading }: At): void {
  if (!hasKey(node, 'task')) {
    reading.report(path, 'definition/missing', 'a definition needs `task` (with `agent` and `checks`) or `steps`');
    return;
  }
  if (!hasKey(node, 'agent')) {
    reading.report(
      path,
      'definition/missing',
      '`agent` is missing; name one, or `auto` for the first one that is installed',
    );
  }
  const own = node.kind === 'map' ? node.entries.find((entry) => entry.key === 'checks')?.value : undefined;
  if (own === undefined || (own.kind === 'list' && own.items.length === 0)) {
    const message =
      'nothing outside the agent judges the work; write at least one check under `checks`, such as `npm test`';
    reading.report(own === undefined ? path : below(path, 'checks'), 'loop/no-signal', message);
  }
}

function reportShortKeys(node: SourceNode, { path, reading }: At): void {
  for (const key of shortKeys) {
    if (!hasKey(node, key)) continue;
    const instead = key === 'task' ? 'write it as the `prompt` of a step' : 'write it in the step that it is meant for';
    reading.report(
      below(path, key),
      'definition/conflict',
      `\`${key}\` belongs to the short form, and \`steps\` is given; ${instead}`,
    );
  }
}

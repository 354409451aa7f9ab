import type { StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { isNull, valueAt } from '#dialects/source/node.ts';
import type { Field, Reading, ShapeOf } from '#dialects/source/reading.ts';
import { below, listOf, mapping, optional } from '#dialects/source/reading.ts';
import { flag, integer, number, text, textOrEmpty, word } from '#dialects/source/scalars.ts';
import { literally } from '#dialects/source/template-text.ts';
import { harness } from '#dialects/verdict-steps/harness.ts';
import { allowAnyTarget } from '#dialects/verdict-steps/targets.ts';
import type { Values } from '#dialects/verdict-steps/values.ts';

/** The empty text of a form is the same as no key. */
function optionalText<T extends string>(field: Field<T>): Field<T> {
  return (node, path, reading) =>
    node.kind === 'scalar' && node.text === '' ? undefined : optional(field)(node, path, reading);
}

const longestMinutes = 365 * 1440;

const types = ['agent', 'shell', 'approval'] as const;

const shape = {
  id: text,
  name: optionalText(text),
  type: word(types),
  harnessId: optionalText(harness),
  dependsOn: optional(listOf(text, 'a list of ids of steps')),
  prompt: optionalText(text),
  command: optionalText(text),
  approvalMessage: optionalText(text),
  // An empty pattern is an issue of its own (A6): it would match everything.
  passPattern: optional(textOrEmpty),
  failPattern: optional(textOrEmpty),
  loopBackTo: optionalText(text),
  maxLoops: optional(integer(0)),
  timeoutMinutes: optional(number(0.01, longestMinutes)),
  retries: optional(integer(0, 1000)),
  continueOnError: optional(flag),
} as const;

type StepRead = ShapeOf<typeof shape>;
const stepMapping = mapping(shape);

/** A step as it is read: where it stands, and what its templates may name. */
interface At {
  node: SourceNode;
  path: string;
  reading: Reading;
  values: Values;
}

/** The steps in written order. One that cannot be read keeps its id, so that names of it elsewhere stay right. */
export function readSteps(node: SourceNode, reading: Reading, values: Values): StepDefinition[] | undefined {
  if (node.kind !== 'list') return reading.reportType(node, 'steps', 'a list of steps');
  if (node.items.length === 0) {
    reading.report('steps', 'definition/empty', '`steps` is empty; write at least one step');
    return undefined;
  }
  const steps = node.items.map((item, index) =>
    readStep(index, { node: item, path: below('steps', String(index)), reading, values }),
  );
  return allowAnyTarget(steps);
}

function readStep(index: number, at: At): StepDefinition {
  const read = stepMapping(at.node, at.path, at.reading) ?? {};
  if (at.node.kind === 'map') reportMissing(at);
  reportMisplaced(read, at);
  const { id = `unread-${index}`, name, type, dependsOn = [] } = read;
  return {
    id,
    after: dependsOn,
    work: workOf(read, at),
    checks: [],
    ...(type === 'approval' ? {} : { retry: { on: 'notVerdict', limit: read.retries ?? 0 } }),
    ...present({ name, match: matchOf(read), loop: loopOf(read, at), continueOnError: read.continueOnError }),
    ...(type === 'approval' ? {} : present({ timeSeconds: secondsOf(read) })),
  };
}

function reportMissing({ node, path, reading }: At): void {
  for (const [key, what] of [
    ['id', 'the name by which others mean it'],
    ['type', '`agent`, `shell` or `approval`'],
  ] as const) {
    if (valueAt(node, key) === undefined) {
      reading.report(path, 'definition/missing', `a step needs \`${key}\`: ${what}`);
    }
  }
}

/** A step without work that can be read gets a stand-in; its issues keep the definition from ever being run. */
function workOf(read: StepRead, at: At): StepDefinition['work'] {
  const standIn = { kind: 'run', command: ':' } as const;
  switch (read.type) {
    case 'agent': {
      reportNeeded(at, 'harnessId', 'an `agent` step needs `harnessId`: who works, such as `codex` or `claude`');
      reportNeeded(at, 'prompt', 'an `agent` step needs `prompt`: what is to be done');
      if (read.harnessId === undefined) return standIn;
      return { kind: 'agent', agent: { name: read.harnessId }, prompt: templateOf('prompt', read, at) };
    }
    case 'shell':
      reportNeeded(at, 'command', 'a `shell` step needs `command`: what is run');
      return read.command === undefined ? standIn : { kind: 'run', command: templateOf('command', read, at) };
    case 'approval':
      return approvalOf(read, at);
    case undefined:
      return standIn;
    default:
      return unreachable(read.type);
  }
}

function approvalOf(read: StepRead, at: At): StepDefinition['work'] {
  const { approvalMessage, name = read.id ?? '' } = read;
  const ask = approvalMessage === undefined ? `${literally(name)}: go on?` : templateOf('approvalMessage', read, at);
  const limitSeconds = secondsOf(read);
  return { kind: 'person', ask, ...(limitSeconds === undefined ? {} : { time: { limitSeconds } }) };
}

function reportNeeded({ node, path, reading }: At, key: string, message: string): void {
  const written = valueAt(node, key);
  const left = written === undefined || isNull(written) || (written.kind === 'scalar' && written.text === '');
  if (left) reading.report(path, 'definition/missing', message);
}

function templateOf(key: 'prompt' | 'command' | 'approvalMessage', read: StepRead, at: At): string {
  return at.values.template(read[key] ?? '', below(at.path, key));
}

function secondsOf({ timeoutMinutes }: StepRead): number | undefined {
  return timeoutMinutes === undefined ? undefined : Math.round(timeoutMinutes * 60_000) / 1000;
}

/** V-08: an answer has no output that a pattern could judge. */
function matchOf({ type, passPattern: pass, failPattern: fail }: StepRead): StepDefinition['match'] {
  if (type === 'approval' || (pass === undefined && fail === undefined)) return undefined;
  return present({ pass, fail });
}

const loopsByDefault = 2;
/** What the form of the original offers. */
const loopsAtMost = 10;

/** V-13, V-14, V-26. */
function loopOf({ loopBackTo: to, maxLoops }: StepRead, at: At): StepDefinition['loop'] {
  if (to === undefined) return undefined;
  if (maxLoops !== undefined && maxLoops > loopsAtMost) {
    const message = `\`maxLoops\` is ${maxLoops}, and work that ${loopsAtMost} loops did not mend is rarely mended by more; lower it unless that is meant`;
    at.reading.warn(below(at.path, 'maxLoops'), 'definition/out-of-range', message);
  }
  return { to, limit: maxLoops ?? loopsByDefault, inFlight: 'keep' };
}

/** Which type of step says its work with which key. */
const workKeys = [
  ['harnessId', 'agent'],
  ['prompt', 'agent'],
  ['command', 'shell'],
  ['approvalMessage', 'approval'],
] as const;

function reportMisplaced(read: StepRead, { path, reading }: At): void {
  const { type } = read;
  if (type === undefined) return;
  for (const [key, owner] of workKeys) {
    if (read[key] === undefined || owner === type) continue;
    const message = `\`${key}\` belongs to a step of type \`${owner}\`, and this one is \`${type}\`; remove it`;
    reading.report(below(path, key), 'definition/conflict', message);
  }
  if (type === 'approval') {
    warnUnused(read, { path, reading }, ['passPattern', 'failPattern', 'retries'], 'a person decides an approval');
  }
  if (read.loopBackTo === undefined) {
    warnUnused(read, { path, reading }, ['maxLoops'], 'the step has no `loopBackTo`; add it, or remove the key');
  }
}

function warnUnused(
  read: StepRead,
  { path, reading }: Pick<At, 'path' | 'reading'>,
  keys: readonly (keyof StepRead)[],
  why: string,
): void {
  for (const key of keys) {
    const value = read[key];
    if (value === undefined || value === 0) continue;
    reading.warn(below(path, key), 'dialect/no-effect', `\`${key}\` has no effect here: ${why}`);
  }
}

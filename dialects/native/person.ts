import type { PersonDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { outputOf } from '#dialects/native/output-of.ts';
import { hasKey, time } from '#dialects/native/parts.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueOfNode } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { below, mapping, oneOrMore } from '#dialects/source/reading.ts';
import { flag, integer, noneOr, text, word } from '#dialects/source/scalars.ts';

type Shown = NonNullable<PersonDefinition['show']>[number];

/** `steps.plan.output`, `artifacts:notes.md`, or the path of a file of the workspace. */
const shown: Field<Shown> = (node, path, reading) => {
  if (node.kind === 'scalar' && node.text.startsWith('steps.')) {
    const step = outputOf(node, path, reading);
    return step === undefined ? undefined : { kind: 'output', step };
  }
  const file = text(node, path, reading);
  if (file === undefined) return undefined;
  const artifact = /^artifacts:(.+)$/.exec(file)?.[1];
  return artifact === undefined ? { kind: 'file', path: file } : { kind: 'artifact', path: artifact };
};

/** A JSON Schema of an object, or the short way: the names to fill in, each with its schema. */
const form: Field<Record<string, unknown>> = (node, path, reading) => {
  if (node.kind !== 'map') return reading.reportType(node, path, 'a mapping from names to `{type, required}`');
  if (!isShortForm(node)) return Object.fromEntries(node.entries.map(({ key, value }) => [key, valueOfNode(value)]));
  const properties: [string, unknown][] = [];
  const required: string[] = [];
  for (const { key, value } of node.entries) {
    const property = propertyOf(value, below(path, key), reading);
    if (property === undefined) continue;
    properties.push([key, property.schema]);
    if (property.required) required.push(key);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  };
};

/** Whether a form is written as the names to fill in: it has neither `type: object` nor `properties` that are mappings. */
export function isShortForm(node: SourceNode | undefined): boolean {
  if (node?.kind !== 'map') return false;
  return !node.entries.some(({ key, value }) => {
    if (key === 'type') return value.kind === 'scalar' && value.text === 'object';
    return key === 'properties' && value.kind === 'map' && value.entries.every((entry) => entry.value.kind === 'map');
  });
}

/** `required` of a name is our own word; the list under it is JSON Schema's, for an object inside. */
function propertyOf(
  node: SourceNode,
  path: string,
  reading: Reading,
): { schema: Record<string, unknown>; required: boolean } | undefined {
  if (node.kind !== 'map') return reading.reportType(node, path, 'a schema such as `{type: string}`');
  const mark = node.entries.find(({ key, value }) => key === 'required' && value.kind === 'scalar');
  const required = mark === undefined ? false : flag(mark.value, below(path, 'required'), reading);
  const rest = node.entries.filter((entry) => entry !== mark);
  const schema = Object.fromEntries(rest.map(({ key, value }) => [key, valueOfNode(value)]));
  return { schema, required: required ?? false };
}

const people = oneOrMore(text, 'names of people or `team:<name>`');
const escalateMapping = mapping({ to: people, after: time });

/** `[team:leads]`, or `{to, after}`. */
const escalate: Field<NonNullable<PersonDefinition['escalate']>> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const to = people(node, path, reading);
    return to === undefined ? undefined : { to };
  }
  const read = escalateMapping(node, path, reading);
  return { to: read?.to ?? [], ...present({ afterSeconds: read?.after }) };
};

// oxlint-disable-next-line unicorn/no-thenable -- a key of the format; nothing awaits a mapping
const timeMapping = mapping({ limit: time, then: word(['fail', 'skip', 'escalate']) });

/** `3d`, or `{limit, then}`. */
const openFor: Field<NonNullable<PersonDefinition['time']>> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const limitSeconds = time(node, path, reading);
    return limitSeconds === undefined ? undefined : { limitSeconds };
  }
  const read = timeMapping(node, path, reading);
  if (read?.limit === undefined) {
    if (!hasKey(node, 'limit')) reading.report(path, 'definition/missing', '`time` needs a `limit`, such as `3d`');
    return undefined;
  }
  return { limitSeconds: read.limit, ...present({ onExpiry: read.then }) };
};

const personMapping = mapping({
  ask: text,
  show: oneOrMore(shown, 'outputs of steps and files'),
  form,
  pushBackForm: form,
  pushBackLimit: noneOr(integer(0, 1_000_000)),
  who: people,
  quorum: integer(1, 1000),
  notAuthor: flag,
  remind: time,
  escalate,
  time: openFor,
});

/** `Ship it?`, or `{ask, show, form, who, …}`. */
export const person: Field<PersonDefinition> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const ask = text(node, path, reading);
    return ask === undefined ? undefined : { kind: 'person', ask };
  }
  const read = personMapping(node, path, reading);
  if (read === undefined) return undefined;
  const { ask = '', remind, ...rest } = read;
  if (!hasKey(node, 'ask')) reading.report(path, 'definition/missing', '`person` needs `ask`: the question');
  return { kind: 'person', ask, ...present(rest), ...present({ remindSeconds: remind }) };
};

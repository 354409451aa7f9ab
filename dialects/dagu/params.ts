import { present } from '#core/definition/present.ts';
import type { InputPlan } from '#core/plan/plan.ts';
import { mappingOf } from '#dialects/dagu/keys.ts';
import type { Written } from '#dialects/dagu/values.ts';
import { written } from '#dialects/dagu/values.ts';
import type { NamedText } from '#dialects/dagu/variables.ts';
import { assignment, wordsOfLine } from '#dialects/dagu/variables.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueAt, valueOfNode } from '#dialects/source/node.ts';
import type { Field, Reading, ShapeOf } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';
import { flag, text, textOrEmpty, word } from '#dialects/source/scalars.ts';

/** The parameters of a DAG as inputs. Those without a name are `p1`, `p2`, … and the `$1`, `$2` of each shell. */
export interface Params {
  inputs: Record<string, InputPlan>;
  positional: string[];
  /** What a shell works out where a caller gives nothing. */
  computed: ComputedParam[];
}

/** `otherwise`: what holds when it cannot be worked out. */
type ComputedParam = NamedText & { otherwise?: Written };

/** A parameter without a name is undefined. */
type Param = { name: string | undefined; input: InputPlan; computed?: Written; otherwise?: Written };

const unchecked = 'what a caller gives is checked for its type only; hold it against this in a first step';
const unheld = {
  enum: unchecked,
  minimum: unchecked,
  maximum: unchecked,
  min_length: unchecked,
  max_length: unchecked,
  pattern: unchecked,
};

const richShape = {
  name: text,
  default: textOrEmpty,
  eval: written,
  type: word(['string', 'integer', 'number', 'boolean']),
  required: flag,
} as const;

const richMapping = mappingOf({
  shape: richShape,
  noEffect: unheld,
  aside: ['description', 'title'],
});

export const params: Field<Params> = (node, path, reading) => {
  const read = paramsOf(node, path, reading);
  if (read === undefined) return undefined;
  let unnamed = 0;
  const named = read.map((param) => ({ ...param, name: param.name ?? `p${(unnamed += 1)}` }));
  return {
    inputs: Object.fromEntries(named.map(({ name, input }) => [name, input])),
    positional: Array.from({ length: unnamed }, (_, index) => `p${index + 1}`),
    computed: named.flatMap(({ name, computed, otherwise }) =>
      computed === undefined ? [] : [{ name, value: computed, ...present({ otherwise }) }],
    ),
  };
};

function paramsOf(node: SourceNode, path: string, reading: Reading): Param[] | undefined {
  if (node.kind === 'scalar') {
    const line = textOrEmpty(node, path, reading) ?? '';
    return wordsOfLine(line).map((each) => ofWord(each, path));
  }
  if (node.kind === 'list') {
    return node.items.flatMap((item, index) => ofItem(item, below(path, String(index)), reading));
  }
  const schema = valueAt(node, 'schema');
  if (schema?.kind === 'map') return ofSchema(schema, below(path, 'schema'), reading, valueAt(node, 'values'));
  if (schema !== undefined || valueAt(node, 'properties')?.kind === 'map') return ofSchema(node, path, reading);
  return node.entries.flatMap(({ key, value }) => ofPair(key, value, below(path, key), reading));
}

function ofItem(item: SourceNode, path: string, reading: Reading): Param[] {
  if (item.kind === 'scalar') return [ofWord(item.text, path)];
  if (item.kind === 'list') {
    reading.reportType(item, path, '`NAME: value`, `NAME=value` or `{name, type, default}`');
    return [];
  }
  const isRich = item.entries.some(({ key }) => key === 'name') && item.entries.length > 1;
  if (!isRich) return item.entries.flatMap(({ key, value }) => ofPair(key, value, below(path, key), reading));
  const read = richMapping(item, path, reading);
  if (read?.name === undefined) return [];
  return [{ name: read.name, ...richParam(read, path) }];
}

function richParam(read: ShapeOf<typeof richShape>, path: string): Omit<Param, 'name'> {
  const { type = 'string', required = false, default: fallback, eval: computed } = read;
  if (computed === undefined) return { input: { type: typeOf(type), required, ...present({ default: fallback }) } };
  const otherwise = fallback === undefined ? undefined : { text: fallback, path: below(path, 'default') };
  return { input: { type: 'string', required: false }, computed, ...present({ otherwise }) };
}

function ofPair(name: string, value: SourceNode, path: string, reading: Reading): Param[] {
  const isEmpty = value.kind === 'scalar' && value.value === null;
  const given = isEmpty ? '' : textOrEmpty(value, path, reading);
  return given === undefined ? [] : [{ name, ...textParam({ text: given, path }) }];
}

function ofWord(each: string, path: string): Param {
  if (!/^[A-Za-z_]\w*=/.test(each)) return { name: undefined, ...textParam({ text: each, path }) };
  const { name, value } = assignment(each, path);
  return { name, ...textParam(value) };
}

/** A default is a text, or a command whose output it is. */
function textParam(given: Written): Omit<Param, 'name'> {
  if (/`|\$\(/.test(given.text)) return { input: { type: 'string', required: false }, computed: given };
  return { input: { type: 'string', required: false, default: given.text } };
}

function typeOf(type: 'string' | 'integer' | 'number' | 'boolean'): InputPlan['type'] {
  return type === 'integer' ? 'number' : type;
}

const propertyMapping = mappingOf({
  shape: { type: word(['string', 'integer', 'number', 'boolean']), default: textOrEmpty },
  noEffect: { ...unheld, minLength: unchecked, maxLength: unchecked, oneOf: unchecked },
  aside: ['title', 'description', 'examples'],
});

/** `{type: object, properties}`, a JSON Schema of the parameters; `values` stand in for its defaults. */
// oxlint-disable-next-line max-params
function ofSchema(
  node: Extract<SourceNode, { kind: 'map' }>,
  path: string,
  reading: Reading,
  values?: SourceNode,
): Param[] {
  const found = node.entries.find(({ key }) => key === 'properties')?.value;
  if (found?.kind !== 'map') {
    const message = '`schema` of parameters in another file is not read; write the parameters into this one';
    reading.report(below(path, 'schema'), 'dialect/not-run', message);
    return [];
  }
  const required = valueOfNode(
    node.entries.find(({ key }) => key === 'required')?.value ?? { kind: 'list', items: [] },
  );
  return found.entries.flatMap(({ key, value }) => {
    const read = propertyMapping(value, below(below(path, 'properties'), key), reading);
    if (read === undefined) return [];
    const { type = 'string' } = read;
    const isRequired = Array.isArray(required) && required.includes(key);
    const own = values?.kind === 'map' ? valueAt(values, key) : undefined;
    const given = own?.kind === 'scalar' ? own.text : read.default;
    return [{ name: key, input: { type: typeOf(type), required: isRequired, ...present({ default: given }) } }];
  });
}

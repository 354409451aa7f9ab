import { present } from '#core/definition/present.ts';
import type { InputPlan } from '#core/plan/plan.ts';
import { mappingOf } from '#dialects/dagu/keys.ts';
import { assignment, wordsOfLine } from '#dialects/dagu/variables.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueOfNode } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';
import { flag, text, textOrEmpty, word } from '#dialects/source/scalars.ts';

/** The parameters of a DAG as inputs. Those without a name are `p1`, `p2`, … and the `$1`, `$2` of each shell. */
export interface Params {
  inputs: Record<string, InputPlan>;
  positional: string[];
}

type Named = [name: string, input: InputPlan];
/** A parameter without a name is undefined. */
type Param = { name: string | undefined; input: InputPlan };

const unchecked = 'what a caller gives is checked for its type only; hold it against this in a first step';
const unheld = {
  enum: unchecked,
  minimum: unchecked,
  maximum: unchecked,
  min_length: unchecked,
  max_length: unchecked,
  pattern: unchecked,
};

const richMapping = mappingOf({
  shape: {
    name: text,
    default: textOrEmpty,
    type: word(['string', 'integer', 'number', 'boolean']),
    required: flag,
  },
  notRun: { eval: 'give it a `default`, or work it out in a first step with `output`' },
  noEffect: unheld,
  aside: ['description', 'title'],
});

export const params: Field<Params> = (node, path, reading) => {
  const read = paramsOf(node, path, reading);
  if (read === undefined) return undefined;
  let unnamed = 0;
  const named = read.map(({ name, input }): Named => [name ?? `p${(unnamed += 1)}`, input]);
  return {
    inputs: Object.fromEntries(named),
    positional: Array.from({ length: unnamed }, (_, index) => `p${index + 1}`),
  };
};

function paramsOf(node: SourceNode, path: string, reading: Reading): Param[] | undefined {
  if (node.kind === 'scalar') {
    const line = textOrEmpty(node, path, reading) ?? '';
    return wordsOfLine(line).map((each) => ofWord(each, path, reading));
  }
  if (node.kind === 'list') {
    return node.items.flatMap((item, index) => ofItem(item, below(path, String(index)), reading));
  }
  if (node.entries.some(({ key, value }) => key === 'schema' || (key === 'properties' && value.kind === 'map'))) {
    return ofSchema(node, path, reading);
  }
  return node.entries.flatMap(({ key, value }) => ofPair(key, value, below(path, key), reading));
}

function ofItem(item: SourceNode, path: string, reading: Reading): Param[] {
  if (item.kind === 'scalar') return [ofWord(item.text, path, reading)];
  if (item.kind === 'list') {
    reading.reportType(item, path, '`NAME: value`, `NAME=value` or `{name, type, default}`');
    return [];
  }
  const isRich = item.entries.some(({ key }) => key === 'name') && item.entries.length > 1;
  if (!isRich) return item.entries.flatMap(({ key, value }) => ofPair(key, value, below(path, key), reading));
  const read = richMapping(item, path, reading);
  if (read?.name === undefined) return [];
  const { type = 'string', required = false } = read;
  return [{ name: read.name, input: { type: typeOf(type), required, ...present({ default: read.default }) } }];
}

function ofPair(name: string, value: SourceNode, path: string, reading: Reading): Param[] {
  const isEmpty = value.kind === 'scalar' && value.value === null;
  const given = isEmpty ? '' : textOrEmpty(value, path, reading);
  return given === undefined ? [] : [{ name, input: textInput(given, path, reading) }];
}

function ofWord(each: string, path: string, reading: Reading): Param {
  if (!/^[A-Za-z_]\w*=/.test(each)) return { name: undefined, input: textInput(each, path, reading) };
  const { name, value } = assignment(each, path);
  return { name, input: textInput(value.text, path, reading) };
}

/** A default is a text: what Dagu once worked out there belongs into a step. */
function textInput(given: string, path: string, reading: Reading): InputPlan {
  if (/`|\$\(/.test(given)) {
    const message = `the default \`${given.slice(0, 80)}\` is a command; work it out in a first step with \`output\`, or in \`env\``;
    reading.report(path, 'dialect/not-run', message);
  }
  return { type: 'string', required: false, default: given };
}

function typeOf(type: 'string' | 'integer' | 'number' | 'boolean'): InputPlan['type'] {
  return type === 'integer' ? 'number' : type;
}

const propertyMapping = mappingOf({
  shape: { type: word(['string', 'integer', 'number', 'boolean']), default: textOrEmpty },
  noEffect: { ...unheld, minLength: unchecked, maxLength: unchecked, oneOf: unchecked },
  aside: ['title', 'description', 'examples'],
});

/** `{type: object, properties}`, a JSON Schema of the parameters. */
function ofSchema(node: Extract<SourceNode, { kind: 'map' }>, path: string, reading: Reading): Param[] {
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
    return [{ name: key, input: { type: typeOf(type), required: isRequired, ...present({ default: read.default }) } }];
  });
}

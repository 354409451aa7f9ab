import type { CallDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { hasKey } from '#dialects/native/parts.ts';
import type { Field } from '#dialects/source/reading.ts';
import { listOf, mapOf, mapping } from '#dialects/source/reading.ts';
import { integer, text, textOrEmpty, word } from '#dialects/source/scalars.ts';

const callMapping = mapping({ definition: text, inputs: mapOf(textOrEmpty, 'a mapping from inputs to values') });

/** `audit`, or `{definition: audit, inputs}`. */
export const call: Field<CallDefinition> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const definition = text(node, path, reading);
    return definition === undefined ? undefined : { kind: 'call', definition };
  }
  const read = callMapping(node, path, reading);
  if (read?.definition === undefined) {
    if (!hasKey(node, 'definition')) {
      reading.report(path, 'definition/missing', '`call` needs `definition`: the name of the one to call');
    }
    return undefined;
  }
  return { kind: 'call', definition: read.definition, ...present({ inputs: read.inputs }) };
};

const items = listOf(textOrEmpty, 'a template that gives a list');

/** A template that gives a list, or the list itself. */
const list: Field<string> = (node, path, reading) => {
  if (node.kind !== 'list') return text(node, path, reading);
  const read = items(node, path, reading);
  return read === undefined ? undefined : JSON.stringify(read);
};

const eachMapping = mapping({ each: list, split: word(['lines', 'words']), max: integer(1, 100) });

/** `{each, split, max}` of a call: one child run for each item. */
export const each: Field<NonNullable<CallDefinition['each']>> = (node, path, reading) => {
  const read = eachMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (read.each === undefined) {
    if (!hasKey(node, 'each')) reading.report(path, 'definition/missing', '`for` needs `each`: the list of items');
    return undefined;
  }
  return { list: read.each, ...present({ split: read.split, max: read.max }) };
};

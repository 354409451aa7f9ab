import { mappingOf } from '#dialects/dagu/keys.ts';
import type { Written } from '#dialects/dagu/values.ts';
import { refersToValue, whole, written, writtenOrEmpty } from '#dialects/dagu/values.ts';
import type { NamedText } from '#dialects/dagu/variables.ts';
import { assignment, namedTexts, wordsOfLine } from '#dialects/dagu/variables.ts';
import type { Field } from '#dialects/source/reading.ts';
import { below, listOf } from '#dialects/source/reading.ts';

/** What a child DAG is given: by name, or in the order of its `$1`, `$2`. */
export const callParams: Field<NamedText[]> = (node, path, reading) => {
  if (node.kind === 'map') return namedTexts(node, path, reading);
  const given: (NamedText | Written)[] = [];
  const addWords = (line: string, at: string): void => {
    for (const word of wordsOfLine(line)) {
      given.push(/^[A-Za-z_]\w*=/.test(word) ? assignment(word, at) : { text: word, path: at });
    }
  };
  if (node.kind === 'scalar') addWords(writtenOrEmpty(node, path, reading)?.text ?? '', path);
  else {
    for (const [index, item] of node.items.entries()) {
      const at = below(path, String(index));
      if (item.kind === 'map') given.push(...(namedTexts(item, at, reading) ?? []));
      else if (item.kind === 'scalar') addWords(item.text, at);
      else reading.reportType(item, at, '`NAME=value` or `NAME: value`');
    }
  }
  let unnamed = 0;
  return given.map((each) => ('name' in each ? each : { name: `p${(unnamed += 1)}`, value: each }));
};

const callMapping = mappingOf({ shape: { dag: written, params: callParams }, older: { name: 'dag' } });

/** `with` of `dag.run`. */
export const childCall: Field<{ dag: Written; params: NamedText[] }> = (node, path, reading) => {
  const read = callMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (read.dag !== undefined) return { dag: read.dag, params: read.params ?? [] };
  if (node.kind === 'map' && !node.entries.some(({ key }) => key === 'dag' || key === 'name')) {
    reading.report(path, 'definition/missing', '`dag.run` needs `dag`: the name of the DAG to run');
  }
  return undefined;
};

/** A text, or fields with fixed texts. */
export type ListItem =
  | { kind: 'text'; written: Written }
  | { kind: 'fields'; fields: Readonly<Record<string, string>> };

/** The items for which a child runs: a text that gives them, or each as it is written. */
export interface Parallel {
  list: Written | ListItem[];
  max?: number;
}

const item: Field<ListItem> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const read = writtenOrEmpty(node, path, reading);
    return read === undefined ? undefined : { kind: 'text', written: read };
  }
  const fields = namedTexts(node, path, reading) ?? [];
  for (const { value } of fields) {
    if (!refersToValue(value.text)) continue;
    const message = 'a field of an item is a fixed text; give the value under `params` of the call';
    reading.report(value.path, 'dialect/not-run', message);
  }
  return { kind: 'fields', fields: Object.fromEntries(fields.map(({ name, value }) => [name, value.text])) };
};

const list: Field<Parallel['list']> = (node, path, reading) =>
  node.kind === 'list' ? listOf(item, 'a list of items')(node, path, reading) : written(node, path, reading);

const parallelMapping = mappingOf({ shape: { items: list, max_concurrent: whole(1, 100) } });

/** Dagu runs ten at a time. */
export const parallel: Field<Parallel> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const read = list(node, path, reading);
    return read === undefined ? undefined : { list: read, max: 10 };
  }
  const read = parallelMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (read.items !== undefined) return { list: read.items, max: read.max_concurrent ?? 10 };
  if (!node.entries.some(({ key }) => key === 'items')) {
    reading.report(path, 'definition/missing', '`parallel` needs `items`: the list of items');
  }
  return undefined;
};

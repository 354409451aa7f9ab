import type { Written } from '#dialects/dagu/values.ts';
import { writtenOrEmpty } from '#dialects/dagu/values.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';

export interface NamedText {
  name: string;
  value: Written;
}

const variable = /^[A-Za-z_]\w*$/;

/** As `namedTexts`, of variables that a process can have. */
export const variables: Field<NamedText[]> = (node, path, reading) =>
  namedTexts(node, path, reading)?.filter(({ name, value }) => {
    if (variable.test(name)) return true;
    const message = `\`${name.slice(0, 80)}\` cannot name an environment variable; use letters, digits and \`_\`, not starting with a digit`;
    reading.report(value.path, 'env/bad-name', message);
    return false;
  });

/** `env`: a mapping, or a list of mappings and `NAME=value` texts, in order. */
export const namedTexts: Field<NamedText[]> = (node, path, reading) => {
  if (node.kind === 'map') return ofMapping(node, path, reading);
  if (node.kind !== 'list') return reading.reportType(node, path, 'a mapping from names to values, or a list of them');
  return node.items.flatMap((item, index) => {
    const at = below(path, String(index));
    if (item.kind === 'map') return ofMapping(item, at, reading);
    if (item.kind === 'scalar' && item.text.includes('=')) return [assignment(item.text, at)];
    reading.reportType(item, at, '`NAME=value` or `NAME: value`');
    return [];
  });
};

function ofMapping(node: Extract<SourceNode, { kind: 'map' }>, path: string, reading: Reading): NamedText[] {
  return node.entries.flatMap(({ key, value }) => {
    const at = below(path, key);
    const read =
      value.kind === 'scalar' && value.value === null ? { text: '', path: at } : writtenOrEmpty(value, at, reading);
    return read === undefined ? [] : [{ name: key, value: read }];
  });
}

/** `NAME=value`, the value as it stands. */
export function assignment(text: string, path: string): NamedText {
  const at = text.indexOf('=');
  return { name: text.slice(0, at).trim(), value: { text: text.slice(at + 1), path } };
}

/** Words of a line: `a=1 b="two words" three`. Quotes hold a word together and are left out. */
export function wordsOfLine(line: string): string[] {
  const words = line.match(/(?:[^\s"'`]|"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`)+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double?: string, single?: string) => {
      return double === undefined ? (single ?? '') : double.replaceAll(/\\(["\\])/g, '$1');
    }),
  );
}

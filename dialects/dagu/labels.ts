import { wordsOfLine } from '#dialects/dagu/variables.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

/** `a, b`, `env=prod team=web`, a list, or a mapping whose entries become `key=value`. */
export const labels: Field<string[]> = (node, path, reading) => {
  const each = (item: SourceNode, at: string): string[] => {
    if (item.kind === 'map') {
      return item.entries.flatMap(({ key, value }) => {
        const read = text(value, below(at, key), reading);
        return read === undefined ? [] : [`${key}=${read}`];
      });
    }
    return text(item, at, reading)?.split(',').flatMap(wordsOfLine) ?? [];
  };
  if (node.kind === 'list') return node.items.flatMap((item, index) => each(item, below(path, String(index))));
  return each(node, path);
};

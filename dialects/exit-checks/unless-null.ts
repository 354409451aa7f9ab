import type { SourceNode } from '#dialects/source/node.ts';
import { isNull, valueAt } from '#dialects/source/node.ts';
import type { Field } from '#dialects/source/reading.ts';

/** A form that leaves a key out writes `null` there; a key with nothing after it in YAML is unfinished, and an issue. */
export function unlessNull<T>(field: Field<T>): Field<T> {
  return (node, path, reading) => (isWrittenNull(node) ? undefined : field(node, path, reading));
}

/** Whether a mapping says something under a key. */
export function says(node: SourceNode, key: string): boolean {
  const value = valueAt(node, key);
  return value !== undefined && !isWrittenNull(value);
}

function isWrittenNull(node: SourceNode): boolean {
  return isNull(node) && (node.at === undefined || (node.kind === 'scalar' && node.text !== ''));
}

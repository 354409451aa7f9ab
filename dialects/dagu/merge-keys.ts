import type { SourceEntry, SourceNode } from '#dialects/source/node.ts';
import type { Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';

/**
 * Dagu reads YAML with merge keys, YAML 1.2 has none (A14): each `<<` is replaced by the entries of the mappings under it.
 * A key that is written wins over a merged one, and an earlier mapping of a list over a later one.
 */
export function withoutMergeKeys(node: SourceNode, path: string, reading: Reading): SourceNode {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'list') {
    return {
      ...node,
      items: node.items.map((item, index) => withoutMergeKeys(item, below(path, String(index)), reading)),
    };
  }
  const entries = node.entries.map((entry) => ({
    ...entry,
    value: withoutMergeKeys(entry.value, below(path, entry.key), reading),
  }));
  const merge = entries.find(({ key }) => key === '<<');
  if (merge === undefined) return { ...node, entries };
  const own = entries.filter((entry) => entry !== merge);
  const taken = new Set(own.map(({ key }) => key));
  const merged = mappingsOf(merge, below(path, '<<'), reading).filter(({ key }) => {
    const isNew = !taken.has(key);
    taken.add(key);
    return isNew;
  });
  return { ...node, entries: [...own, ...merged] };
}

function mappingsOf({ value, keyAt }: SourceEntry, path: string, reading: Reading): SourceEntry[] {
  if (value.kind === 'map') return value.entries;
  if (value.kind === 'list' && value.items.every((item) => item.kind === 'map')) {
    return value.items.flatMap((item) => (item.kind === 'map' ? item.entries : []));
  }
  reading.report(path, 'definition/wrong-type', '`<<` takes an alias of a mapping, or a list of them', keyAt);
  return [];
}

import type { Issue } from '#core/issue/issue.ts';
import type { Position, SourceNode } from '#dialects/source/node.ts';
import { laterPath } from '#dialects/source/read-yaml.ts';
import { below } from '#dialects/source/reading.ts';

/** Where each dotted path of a document is written; empty for a value that had no text. */
export type Positions = ReadonlyMap<string, Position>;

/** Scalars are found at their value, lists and mappings at their key. */
export function positionsOf(root: SourceNode, later: readonly SourceNode[] = []): Positions {
  const positions = new Map<string, Position>();
  const add = (node: SourceNode, path: string, keyAt: Position | undefined): void => {
    const at = node.kind === 'scalar' ? (node.at ?? keyAt) : (keyAt ?? node.at);
    if (at !== undefined) positions.set(path, at);
    if (node.kind === 'list')
      for (const [index, item] of node.items.entries()) add(item, below(path, String(index)), item.at);
    if (node.kind === 'map') for (const entry of node.entries) add(entry.value, below(path, entry.key), entry.keyAt);
  };
  add(root, '', undefined);
  for (const [index, node] of later.entries()) add(node, laterPath(index + 1), undefined);
  return positions;
}

/** The issue with the position of its path, or of the nearest part of the document around it. */
export function placeIssue(issue: Issue, positions: Positions): Issue {
  return issue.line === undefined ? { ...issue, ...positionAt(issue.path, positions).at } : issue;
}

/** Where a path is written, or the nearest part of the document around it; without text there is no position. */
export function positionAt(wanted: string, positions: Positions): { path: string; at?: Position } {
  for (let path = wanted; ; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const at = positions.get(path);
    if (at !== undefined) return { path, at };
    if (path === '') return { path: wanted };
  }
}

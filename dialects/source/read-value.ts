import type { Issue } from '#core/issue/issue.ts';
import { errorAt } from '#core/issue/issue.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { sourceBounds } from '#dialects/source/node.ts';

/** What was read. `node` is absent when nothing sensible can be made of the document; with issues it may be there. */
export interface SourceRead {
  node?: SourceNode;
  /** The documents after the first (`---` in YAML), without empty ones. */
  more?: SourceNode[];
  issues: Issue[];
}

/** Reads a JSON value, such as the body of a request, as if it were a document without positions. Never throws. */
export function readValue(value: unknown): SourceRead {
  const budget = { nodes: 0 };
  const node = nodeOf(value, 0, budget);
  if (node !== undefined) return { node, issues: [] };
  const message =
    budget.nodes > sourceBounds.nodes
      ? `the definition holds more than ${sourceBounds.nodes} values; make it smaller`
      : `values are nested deeper than ${sourceBounds.depth} levels; remove the nesting`;
  return { issues: [errorAt('', 'source/too-deep', message)] };
}

function nodeOf(value: unknown, depth: number, budget: { nodes: number }): SourceNode | undefined {
  budget.nodes += 1;
  if (depth > sourceBounds.depth || budget.nodes > sourceBounds.nodes) return undefined;
  if (Array.isArray(value)) {
    const items: SourceNode[] = [];
    for (const entry of value) {
      const item = nodeOf(entry, depth + 1, budget);
      if (item === undefined) return undefined;
      items.push(item);
    }
    return { kind: 'list', items };
  }
  return typeof value === 'object' && value !== null ? mapOf(value, depth, budget) : scalarOf(value);
}

function mapOf(value: object, depth: number, budget: { nodes: number }): SourceNode | undefined {
  const map: SourceNode = { kind: 'map', entries: [] };
  for (const [key, entry] of Object.entries(value)) {
    if (entry === undefined) continue;
    const node = nodeOf(entry, depth + 1, budget);
    if (node === undefined) return undefined;
    map.entries.push({ key, value: node });
  }
  return map;
}

function scalarOf(value: unknown): SourceNode {
  if (typeof value === 'string') return { kind: 'scalar', text: value, value, plain: false };
  if (typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'scalar', text: String(value), value, plain: true };
  }
  return { kind: 'scalar', text: '', value: null, plain: true };
}

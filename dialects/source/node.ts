/** Where something is written; both count from 1. */
export interface Position {
  line: number;
  column: number;
}

/**
 * A document as it was written, before anything is made of it: scalars keep their source text (A14). Read from YAML
 * or JSON text, or from a value that has no text; then `at` is absent everywhere.
 */
export type SourceNode = { at?: Position } & (
  | {
      kind: 'scalar';
      text: string;
      value: string | number | boolean | null;
      plain: boolean;
      /** The lines as written, where YAML joins several of them to one (folded or plain text). */
      joined?: readonly string[];
      /** What YAML takes for a comment though no space follows its `#`: `#123` of `Mend issue #123`, in plain text. */
      cut?: string;
    }
  | { kind: 'list'; items: SourceNode[] }
  | { kind: 'map'; entries: SourceEntry[] }
);

export interface SourceEntry {
  key: string;
  keyAt?: Position;
  value: SourceNode;
}

/** Bounds of one document, so that no input costs more than a moment; `expanded`: values that aliases stand for. */
export const sourceBounds = { bytes: 1_048_576, depth: 64, nodes: 500_000, expanded: 50_000 } as const;

/** What kind of value a node is, for messages: `a list`, `text`. */
export function describeNode(node: SourceNode): string {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'a mapping';
  if (node.value === null) return 'empty';
  if (typeof node.value === 'string') return 'text';
  return typeof node.value === 'number' ? 'a number' : `\`${node.text}\``;
}

/** The JSON value of a node, by the YAML 1.2 core schema. */
export function valueOfNode(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(valueOfNode);
  return Object.fromEntries(node.entries.map((entry) => [entry.key, valueOfNode(entry.value)]));
}

/** The value under a key of a mapping. */
export function valueAt(node: SourceNode, key: string): SourceNode | undefined {
  return node.kind === 'map' ? node.entries.find((entry) => entry.key === key)?.value : undefined;
}

/** Whether `null` is written: in JSON a way of leaving a key out. */
export function isNull(node: SourceNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

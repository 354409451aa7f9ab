/** A node and the indexes of those that it waits for. */
export type Graph = readonly (readonly number[])[];

export type Ordered =
  /** Indexes in topological order; where the written order is one already, it is kept. */
  | { kind: 'ordered'; order: number[] }
  /** Indexes around the cycle, each waiting for the next, the last for the first. */
  | { kind: 'cycle'; cycle: number[] };

const unseen = 0;
const open = 1;
const done = 2;

/** Linear in nodes and edges; without recursion, so that a chain of ten thousand steps is no problem. */
export function topologicalOrder(graph: Graph): Ordered {
  const state = new Uint8Array(graph.length);
  const order: number[] = [];
  for (let root = 0; root < graph.length; root += 1) {
    if (state[root] !== unseen) continue;
    const cycle = visit(graph, root, { state, order });
    if (cycle !== undefined) return { kind: 'cycle', cycle };
  }
  return { kind: 'ordered', order };
}

function visit(graph: Graph, root: number, walk: { state: Uint8Array; order: number[] }): number[] | undefined {
  const { state, order } = walk;
  const path: { node: number; next: number }[] = [{ node: root, next: 0 }];
  state[root] = open;
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const needed = graph[top.node]?.[top.next];
    top.next += 1;
    if (needed === undefined) {
      state[top.node] = done;
      order.push(top.node);
      path.pop();
    } else if (state[needed] === open) {
      const nodes = path.map((entry) => entry.node);
      return nodes.slice(nodes.indexOf(needed));
    } else if (state[needed] === unseen) {
      state[needed] = open;
      path.push({ node: needed, next: 0 });
    }
  }
  return undefined;
}

/** Who comes before whom, over any number of steps: one bit a pair, 12 MB for ten thousand steps. */
export class Ancestry {
  readonly #words: number;
  readonly #bits: Uint32Array;

  constructor(graph: Graph, order: readonly number[]) {
    this.#words = Math.ceil(graph.length / 32);
    this.#bits = new Uint32Array(this.#words * graph.length);
    for (const node of order) {
      for (const needed of graph[node] ?? []) this.#inherit(node, needed);
    }
  }

  /** True when `node` runs only after `ancestor`. A node is not its own ancestor. */
  isAncestor(ancestor: number, node: number): boolean {
    const word = this.#bits[node * this.#words + (ancestor >>> 5)] ?? 0;
    return (word & (1 << (ancestor & 31))) !== 0;
  }

  #inherit(node: number, needed: number): void {
    const to = node * this.#words;
    const from = needed * this.#words;
    for (let word = 0; word < this.#words; word += 1) {
      this.#bits[to + word] = (this.#bits[to + word] ?? 0) | (this.#bits[from + word] ?? 0);
    }
    const own = to + (needed >>> 5);
    this.#bits[own] = (this.#bits[own] ?? 0) | (1 << (needed & 31));
  }
}

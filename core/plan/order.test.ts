import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Graph } from '#core/plan/order.ts';
import { Ancestry, topologicalOrder } from '#core/plan/order.ts';

test('the written order is kept where it is topological', () => {
  expect(topologicalOrder([[], [0], [], [1, 2]])).toEqual({ kind: 'ordered', order: [0, 1, 2, 3] });
  expect(topologicalOrder([[1], [], [0]])).toEqual({ kind: 'ordered', order: [1, 0, 2] });
});

test('a cycle is named by its members alone', () => {
  expect(topologicalOrder([[1], [2], [3], [1]])).toEqual({ kind: 'cycle', cycle: [1, 2, 3] });
  expect(topologicalOrder([[0]])).toEqual({ kind: 'cycle', cycle: [0] });
});

const graphs = fc
  .integer({ min: 1, max: 40 })
  .chain((size) =>
    fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 3 }), { minLength: size, maxLength: size }),
  );

test('every order is topological, every cycle is one, and ancestry is reachability', () => {
  fc.assert(
    fc.property(graphs, (graph: Graph) => {
      const ordered = topologicalOrder(graph);
      if (ordered.kind === 'cycle') {
        const { cycle } = ordered;
        for (const [index, node] of cycle.entries()) {
          expect(graph[node]).toContain(cycle[(index + 1) % cycle.length]);
        }
        return;
      }
      const place = new Map(ordered.order.map((node, index) => [node, index]));
      expect(place.size).toBe(graph.length);
      for (const [node, needed] of graph.entries()) {
        for (const before of needed) expect(place.get(before) ?? 0).toBeLessThan(place.get(node) ?? 0);
      }
      const ancestry = new Ancestry(graph, ordered.order);
      for (const node of graph.keys()) {
        const reached = reach(graph, node);
        for (const other of graph.keys()) expect(ancestry.isAncestor(other, node)).toBe(reached.has(other));
      }
    }),
  );
});

function reach(graph: Graph, from: number): Set<number> {
  const reached = new Set<number>();
  const open = [...(graph[from] ?? [])];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (reached.has(node)) continue;
    reached.add(node);
    open.push(...(graph[node] ?? []));
  }
  return reached;
}

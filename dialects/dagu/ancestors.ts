import type { Graph } from '#core/plan/order.ts';
import { topologicalOrder } from '#core/plan/order.ts';
import type { WrittenStep } from '#dialects/dagu/read-steps.ts';
import type { Reading } from '#dialects/source/reading.ts';

/** More would weigh more than a plan may. */
const mostPairs = 50_000;

/**
 * Of each step the steps before it that have an output variable, in written order: what Dagu puts into its environment.
 * Steps in a circle have none; that is an issue elsewhere.
 */
export function variablesBefore(
  steps: readonly WrittenStep[],
  reading: Reading,
): ReadonlyMap<string, readonly WrittenStep[]> {
  const speaking = new Set(steps.flatMap(({ read }, index) => (read.output?.variable === undefined ? [] : [index])));
  if (speaking.size === 0) return new Map();
  const indexes = new Map(steps.map(({ id }, index) => [id, index]));
  const graph = steps.map(({ after }) => after.flatMap((id) => indexes.get(id) ?? []));
  const before = speakersBefore(graph, speaking);
  if (before === undefined) {
    const message = 'the steps hand on more output variables than a plan can carry; write them into files';
    reading.report('steps', 'definition/too-large', message);
    return new Map();
  }
  return new Map(
    steps.map(({ id }, index) => {
      const all = [...(before.get(index) ?? [])].toSorted((a, b) => a - b);
      return [id, all.flatMap((at) => steps[at] ?? [])];
    }),
  );
}

/** Undefined when there are too many of them. */
function speakersBefore(graph: Graph, speaking: ReadonlySet<number>): Map<number, Set<number>> | undefined {
  const before = new Map<number, Set<number>>();
  const sorted = topologicalOrder(graph);
  let pairs = 0;
  for (const index of sorted.kind === 'cycle' ? [] : sorted.order) {
    const all = new Set<number>();
    for (const earlier of graph[index] ?? []) {
      for (const each of before.get(earlier) ?? []) all.add(each);
      if (speaking.has(earlier)) all.add(earlier);
    }
    before.set(index, all);
    pairs += all.size;
    if (pairs > mostPairs) return undefined;
  }
  return before;
}

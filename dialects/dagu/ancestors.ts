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
  const before = new Map<string, ReadonlySet<number>>();
  if (steps.every(({ read }) => read.output?.variable === undefined)) return new Map();
  const indexes = new Map(steps.map(({ id }, index) => [id, index]));
  const graph = steps.map(({ after }) => after.flatMap((id) => indexes.get(id) ?? []));
  const sorted = topologicalOrder(graph);
  let pairs = 0;
  for (const index of sorted.kind === 'cycle' ? [] : sorted.order) {
    const step = steps[index];
    if (step === undefined) continue;
    const all = new Set<number>();
    for (const earlier of graph[index] ?? []) {
      for (const each of before.get(steps[earlier]?.id ?? '') ?? []) all.add(each);
      if (steps[earlier]?.read.output?.variable !== undefined) all.add(earlier);
    }
    before.set(step.id, all);
    pairs += all.size;
    if (pairs > mostPairs) {
      const message = 'the steps hand on more output variables than a plan can carry; write them into files';
      reading.report('steps', 'definition/too-large', message);
      return new Map();
    }
  }
  return new Map([...before].map(([id, all]) => [id, [...all].toSorted((a, b) => a - b).flatMap((at) => steps[at] ?? [])]));
}

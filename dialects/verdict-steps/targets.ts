import type { StepDefinition } from '#core/definition/definition.ts';
import { Ancestry, topologicalOrder } from '#core/plan/order.ts';

/** V-27: a loop may go back to a step that is not upstream; only there it is said, so that the others stay plain. */
export function allowAnyTarget(steps: readonly StepDefinition[]): StepDefinition[] {
  const indexes = new Map(steps.map(({ id }, index) => [id, index]));
  const graph = steps.map(({ after }) => [...new Set(after)].flatMap((id) => indexes.get(id) ?? []));
  const ordered = topologicalOrder(graph);
  const ancestry = ordered.kind === 'cycle' ? undefined : new Ancestry(graph, ordered.order);
  return steps.map((step, index) => {
    if (step.loop === undefined) return step;
    const target = indexes.get(step.loop.to ?? step.id);
    if (target === undefined || target === index || ancestry?.isAncestor(target, index) === true) return step;
    return { ...step, loop: { ...step.loop, anyTarget: true } };
  });
}

import type { Plan } from '#core/plan/plan.ts';
import { withDownstream } from '#core/run/graph.ts';
import { planNow } from '#core/run/plan-now.ts';
import { type RunState, stepOf } from '#core/run/state.ts';

import type { Line } from '#cli/render/line.ts';

/** A loop with those that lie within it. */
interface LoopNode {
  step: string;
  to: string;
  count: number;
  /** Null = no limit. */
  limit: number | null;
  /** How often people sent work back from the step. */
  pushBacks: number;
  repeats: number;
  /** The steps from `to` to `step`. */
  covers: ReadonlySet<string>;
  inner: LoopNode[];
}

/** The tree of a run's loops with their counters (C2): a loop stands below the one whose steps hold its own. Pure. */
export function loopLines(original: Plan, state: RunState): Line[] {
  const plan = planNow(original, state);
  return treeOf(loopsOf(plan, state)).flatMap((node) => nodeLines(node, 1));
}

function loopsOf(plan: Plan, state: RunState): LoopNode[] {
  return plan.steps.flatMap(({ id, loop }): LoopNode[] => {
    if (loop === undefined) return [];
    const { loops, repeats, pushBacks } = stepOf(state, id);
    const covers = stepsBetween(plan, loop.to, id);
    return [{ step: id, to: loop.to, count: loops, limit: loop.limit, pushBacks, repeats, covers, inner: [] }];
  });
}

function stepsBetween(plan: Plan, from: string, to: string): ReadonlySet<string> {
  return new Set(withDownstream(plan, from).filter((step) => withDownstream(plan, step).includes(to)));
}

/** Each loop hangs below the smallest one that covers more than it and all of it. */
function treeOf(nodes: readonly LoopNode[]): LoopNode[] {
  const roots: LoopNode[] = [];
  for (const node of nodes) {
    const around = nodes
      .filter((other) => other.covers.size > node.covers.size && isWithin(node, other))
      .toSorted((a, b) => a.covers.size - b.covers.size)[0];
    (around?.inner ?? roots).push(node);
  }
  return roots;
}

function nodeLines(node: LoopNode, depth: number): Line[] {
  const { step, to, count, limit, pushBacks, repeats } = node;
  const name = step === to ? step : `${step} → ${to}`;
  const of = limit === null ? ', no limit' : ` of ${limit}`;
  const same = repeats > 0 ? `, ${repeats} without progress` : '';
  const people = pushBacks > 0 ? `, pushed back ${pushBacks}` : '';
  // What only people send back has no count of its own.
  const looped = limit === 0 && pushBacks > 0 ? `pushed back ${pushBacks}` : `looped ${count}${of}${people}`;
  const text = `${'  '.repeat(depth)}↺ ${name}: ${looped}${same}`;
  const isUsedUp = limit !== null && limit > 0 && count >= limit;
  return [{ tone: isUsedUp ? 'warn' : 'plain', text }, ...node.inner.flatMap((inner) => nodeLines(inner, depth + 1))];
}

function isWithin(inner: LoopNode, outer: LoopNode): boolean {
  return [...inner.covers].every((step) => outer.covers.has(step));
}

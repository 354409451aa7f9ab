import { counted } from '#core/plan/amounts.ts';
import type { Issue } from '#core/issue/issue.ts';
import { errorAt, warningAt } from '#core/issue/issue.ts';
import type { Callee, CallGraph } from '#core/plan/call-graph.ts';
import { callPath, callPathTo } from '#core/plan/call-graph.ts';
import { isPlainName, nameRule } from '#core/plan/compiling.ts';

const deepestCalls = 5;
/** Of a definition, and of a plan with the plans of all that it calls. */
export const mostSteps = 10_000;
/** Of all that a plan holds of what it calls: it travels whole when a run starts. */
const mostCharacters = 1_000_000;

/** Calls come to an end (C1), and what they start is of a size that a plan can hold. */
export function checkCalls(graph: CallGraph): Issue[] {
  const inside = [...badNames(graph), ...neverCalled(graph)];
  if (graph.cycle !== undefined) return [...inside, circle(graph, graph.cycle)];
  return [...inside, ...tooDeep(graph), ...tooManyTogether(graph)];
}

function circle(graph: CallGraph, cycle: readonly Callee[]): Issue {
  const [first = graph.root, second = first] = cycle;
  const around = [...cycle, first].map((callee) => nameOf(graph, callee)).join(' calls ');
  const message = `definitions call each other without an end: ${around}; remove one of these calls`;
  return errorAt(first.stored ? callPathTo(graph, first) : callPath(first, second), 'call/loop', message);
}

function tooDeep(graph: CallGraph): Issue[] {
  const chains = new Map<Callee, Callee[]>();
  for (const callee of graph.order) {
    let longest: Callee[] = [];
    for (const called of callee.callees.values()) {
      const chain = chains.get(called) ?? [];
      if (chain.length > longest.length) longest = chain;
    }
    // A chain far too long is too long already: what is beyond it need not be carried along.
    chains.set(callee, [callee, ...longest.slice(0, deepestCalls + 1)]);
  }
  const chain = chains.get(graph.root) ?? [];
  const [, called] = chain;
  if (chain.length <= deepestCalls + 1 || called === undefined) return [];
  const named = chain.map((callee) => nameOf(graph, callee)).join(' calls ');
  const message = `calls go ${deepestCalls} deep at most, and these go deeper: ${named}; write the steps of one of them into its caller`;
  return [errorAt(callPath(graph.root, called), 'call/too-deep', message)];
}

/** Each plan holds the plans of all that it calls: one that is called from several places is there several times. */
function tooManyTogether(graph: CallGraph): Issue[] {
  const steps = together(graph, ({ definition }) => definition.steps.length);
  if (steps > mostSteps) {
    const message = `with all that it calls the definition has ${counted(steps, 'step', 'steps')}; a plan holds at most ${mostSteps}`;
    return [errorAt('steps', 'definition/too-many-steps', message)];
  }
  const characters = together(graph, (callee) => {
    const { children: _, ...own } = callee.definition;
    return callee === graph.root ? 0 : JSON.stringify(own).length;
  });
  if (characters <= mostCharacters) return [];
  const message = `what the definition calls, written out at each place that calls it, is longer than ${mostCharacters} characters; call less, or move long texts into files of the repository`;
  return [errorAt('steps', 'call/too-large', message)];
}

/** The sum over a definition and all that it calls, each as often as it is called. */
function together({ root, order }: CallGraph, own: (callee: Callee) => number): number {
  const totals = new Map<Callee, number>();
  for (const callee of order) {
    const called = [...callee.callees.values()].reduce((sum, each) => sum + (totals.get(each) ?? 0), 0);
    totals.set(callee, own(callee) + called);
  }
  return totals.get(root) ?? 0;
}

function badNames({ root, order }: CallGraph): Issue[] {
  const bad = order.filter((callee) => callee !== root && !callee.stored && !isPlainName(callee.name));
  return bad.map(({ name, prefix }) => {
    const message = `\`${name.slice(0, 80)}\` cannot be the name of a definition; ${nameRule}`;
    return errorAt(prefix.slice(0, -1), 'call/bad-name', message);
  });
}

function neverCalled({ root, order }: CallGraph): Issue[] {
  const called = new Set(order.flatMap(({ callees }) => [...callees.values()]));
  const unused = order.filter((callee) => callee !== root && !callee.stored && !called.has(callee));
  return unused.map(({ name, prefix }) => {
    const message = `nothing calls the definition \`${name}\`; add a step with \`call: ${name}\`, or remove it`;
    return warningAt(prefix.slice(0, -1), 'call/never-called', message);
  });
}

function nameOf(graph: CallGraph, callee: Callee): string {
  return callee === graph.root && callee.name === '' ? 'this definition' : `\`${callee.name}\``;
}

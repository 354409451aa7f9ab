import type { Definition } from '#core/definition/definition.ts';
import { topologicalOrder } from '#core/plan/order.ts';

/** Definitions beside those that are written inside the one that is compiled, by name: those stored in its project. */
export type Library = Readonly<Record<string, Definition>>;

/** One definition of a call graph. */
export interface Callee {
  definition: Definition;
  /** Under which it is called; that of the root is its own. */
  name: string;
  /** Before the paths of its issues: `definitions.audit.` for one that is written inside, empty for the root. */
  prefix: string;
  /** It came from the library: it has no place in this document. */
  stored: boolean;
  /** Whom its steps call, by name; a name that nothing has is left out. */
  callees: Map<string, Callee>;
  scope: Scope;
}

/** Names are looked up from the inside out; a definition of the library sees nothing of whoever calls it. */
interface Scope {
  own: Map<string, Callee>;
  outer: Scope | undefined;
}

export interface CallGraph {
  root: Callee;
  /** Callees before their callers, the root among them; as found when there is a cycle. */
  order: Callee[];
  /** Definitions that call each other in a circle, the first one of them once. */
  cycle: Callee[] | undefined;
}

/** Everything that a definition could start: what is written inside it, and what of the library is called. */
export function callGraph(definition: Definition, library: Library): CallGraph {
  const found: Callee[] = [];
  const place = { name: definition.name ?? '', prefix: '', stored: false };
  const root = gather(found, definition, place, undefined);
  const stored = new Map<string, Callee>();
  // Grows while it is walked: a definition of the library may call another one of it.
  for (const caller of found) {
    for (const name of calledNames(caller.definition)) {
      const callee = local(caller.scope, name) ?? fromLibrary(found, stored, library, name);
      if (callee !== undefined) caller.callees.set(name, callee);
    }
  }
  const indexes = new Map(found.map((callee, index) => [callee, index]));
  const graph = found.map(({ callees }) => [...callees.values()].map((callee) => indexes.get(callee) ?? 0));
  const ordered = topologicalOrder(graph);
  const at = (index: number): Callee => found[index] ?? root;
  if (ordered.kind === 'cycle') return { root, order: found, cycle: ordered.cycle.map(at) };
  return { root, order: ordered.order.map(at), cycle: undefined };
}

/** Where the document says that `callee` is called: of one that a stored definition calls, where that is. */
export function callPathTo({ root, order }: CallGraph, callee: Callee): string {
  const seen = new Set<Callee>();
  for (let called: Callee | undefined = callee; called !== undefined && !seen.has(called);) {
    seen.add(called);
    const wanted: Callee = called;
    const callers = order.filter(({ callees }) => [...callees.values()].includes(wanted));
    const caller = callers.find(({ stored }) => !stored) ?? callers.find((candidate) => !seen.has(candidate));
    if (caller !== undefined && !caller.stored) return callPath(caller, wanted);
    called = caller;
  }
  return callPath(root, callee);
}

/** The step of `caller` that calls `callee`; the steps when none does. */
export function callPath({ definition, prefix, callees }: Callee, callee: Callee): string {
  const step = definition.steps.find(({ work }) => work.kind === 'call' && callees.get(work.definition) === callee);
  return step === undefined ? `${prefix}steps` : `${prefix}steps.${step.id}.call`;
}

/** Every name that a call may use in this definition. */
export function namesInScope({ scope }: Callee, library: Library): string[] {
  const names = Object.keys(library);
  for (let around: Scope | undefined = scope; around !== undefined; around = around.outer) {
    names.unshift(...around.own.keys());
  }
  return names;
}

type Place = Pick<Callee, 'name' | 'prefix' | 'stored'>;

function gather(found: Callee[], definition: Definition, place: Place, outer: Scope | undefined): Callee {
  const scope: Scope = { own: new Map(), outer };
  const callee: Callee = { definition, ...place, callees: new Map(), scope };
  found.push(callee);
  for (const [name, child] of Object.entries(definition.children ?? {})) {
    const prefix = `${place.prefix}definitions.${name}.`;
    scope.own.set(name, gather(found, child, { name, prefix, stored: place.stored }, scope));
  }
  return callee;
}

function fromLibrary(found: Callee[], stored: Map<string, Callee>, library: Library, name: string): Callee | undefined {
  const known = stored.get(name);
  if (known !== undefined) return known;
  const definition = Object.hasOwn(library, name) ? library[name] : undefined;
  if (definition === undefined) return undefined;
  const callee = gather(found, definition, { name, prefix: '', stored: true }, undefined);
  stored.set(name, callee);
  return callee;
}

function local(scope: Scope, name: string): Callee | undefined {
  for (let around: Scope | undefined = scope; around !== undefined; around = around.outer) {
    const callee = around.own.get(name);
    if (callee !== undefined) return callee;
  }
  return undefined;
}

function calledNames(definition: Definition): string[] {
  return definition.steps.flatMap(({ work }) => (work.kind === 'call' ? [work.definition] : []));
}

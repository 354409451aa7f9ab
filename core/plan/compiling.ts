import type { Definition, StepDefinition } from '#core/definition/definition.ts';
import type { Issue } from '#core/issue/issue.ts';
import { errorAt, warningAt } from '#core/issue/issue.ts';
import { didYouMean } from '#core/issue/nearest.ts';
import type { Callee } from '#core/plan/call-graph.ts';
import { Ancestry, topologicalOrder } from '#core/plan/order.ts';

interface CompilingOf {
  callee: Callee;
  /** Every name that a call could use. */
  callable: () => string[];
  unknownCalls: 'error' | 'warning';
}

/** What the parts of `compile` share while one definition is compiled. */
export interface Compiling extends CompilingOf {
  definition: Definition;
  issues: Issue[];
  /** Index of each step by id; of two steps with one id the first. */
  indexes: ReadonlyMap<string, number>;
  /** Indexes of steps in topological order; as written when there is a cycle. */
  order: readonly number[];
  /** Undefined when there is a cycle: nothing is said then about what is upstream. */
  ancestry: Ancestry | undefined;
}

const name = /^[A-Za-z][\w-]{0,63}$/;

export const nameRule = 'use letters, digits, `-` and `_`, starting with a letter, at most 64 characters';

/** True for ids of steps and names of inputs that templates and file names can carry. */
export function isPlainName(text: string): boolean {
  return name.test(text);
}

export function startCompiling(of: CompilingOf): Compiling {
  const { definition } = of.callee;
  const issues: Issue[] = [];
  const indexes = new Map<string, number>();
  for (const [index, step] of definition.steps.entries()) {
    if (indexes.has(step.id)) {
      issues.push(errorAt(`steps.${step.id}`, 'step/duplicate-id', `two steps have the id \`${step.id}\`; rename one`));
    } else {
      indexes.set(step.id, index);
    }
    if (!isPlainName(step.id)) issues.push(badId(step.id));
  }
  const graph = definition.steps.map((step) => neededIndexes(step, indexes, issues));
  const ordered = topologicalOrder(graph);
  const common = { ...of, definition, issues, indexes };
  if (ordered.kind === 'cycle') {
    const ids = ordered.cycle.map((index) => definition.steps[index]?.id ?? '');
    const [first = ''] = ids;
    const around = [...ids, first].map((id) => `\`${id}\``).join(' after ');
    const remedy = 'remove one `after`; to go back to an earlier step use `loop`';
    issues.push(errorAt(`steps.${first}.after`, 'step/cycle', `steps wait for each other: ${around}; ${remedy}`));
    return { ...common, order: definition.steps.map((_, index) => index), ancestry: undefined };
  }
  return { ...common, order: ordered.order, ancestry: new Ancestry(graph, ordered.order) };
}

function badId(id: string): Issue {
  const shown = id.length > 80 ? `${id.slice(0, 80)}…` : id;
  return errorAt(`steps.${id}`, 'step/bad-id', `\`${shown}\` cannot be the id of a step; ${nameRule}`);
}

function neededIndexes(step: StepDefinition, indexes: ReadonlyMap<string, number>, issues: Issue[]): number[] {
  const needed = new Set<number>();
  for (const id of step.after) {
    const index = indexes.get(id);
    if (index !== undefined) needed.add(index);
    else reportUnknownStep({ issues, indexes }, `steps.${step.id}.after`, id);
  }
  return [...needed];
}

const detailedIssues = 100;

/** Suggestions and places cost time: a definition with this many issues has enough of them. */
export function wantsDetail(issues: readonly Issue[]): boolean {
  return issues.length < detailedIssues;
}

/** `; did you mean …?`, or nothing. */
export function suggest(issues: readonly Issue[], word: string, known: Iterable<string>): string {
  return wantsDetail(issues) ? didYouMean(word, known) : '';
}

export function reportUnknownStep(compiling: Pick<Compiling, 'issues' | 'indexes'>, path: string, id: string): void {
  const hint = suggest(compiling.issues, id, compiling.indexes.keys());
  compiling.issues.push(errorAt(path, 'step/unknown', `there is no step \`${id}\`${hint}`));
}

/** `before` surely ran when `after` runs; undefined when a cycle leaves that open. */
export function isUpstream(compiling: Compiling, before: string, after: string): boolean | undefined {
  const from = compiling.indexes.get(before);
  const to = compiling.indexes.get(after);
  if (from === undefined || to === undefined || compiling.ancestry === undefined) return undefined;
  return compiling.ancestry.isAncestor(from, to);
}

/** Between steps side by side it is chance whether the output is there. Downstream ones speak in a later pass (V-22). */
export function warnUnordered(compiling: Compiling, place: { path: string; step: string }, step: string): void {
  if (place.step === step) return;
  if (isUpstream(compiling, step, place.step) !== false || isUpstream(compiling, place.step, step) !== false) return;
  const message = `step \`${step}\` is neither before nor after \`${place.step}\`, so its output may not be there yet; add \`after: ${step}\``;
  compiling.issues.push(warningAt(place.path, 'template/unordered', message));
}

/** A file of the workspace is named from its top. */
export function checkPath(compiling: Pick<Compiling, 'issues'>, at: string, file: string): void {
  const leaves = file.split(/[/\\]/).includes('..');
  if (file.trim() !== '' && !leaves && !/^(?:[/\\]|[A-Za-z]:)/.test(file)) return;
  const message = `\`${file.slice(0, 80)}\` is no path inside the workspace; write it from the top of the repository, without \`..\``;
  compiling.issues.push(errorAt(at, 'workspace/bad-path', message));
}

import type { StepDefinition } from '#core/definition/definition.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueAt } from '#dialects/source/node.ts';
import type { Values } from '#dialects/verdict-steps/values.ts';

/** The original's word for what the long form says below a step. */
const words: readonly (readonly [string, string])[] = [
  ['run', 'command'],
  ['person.time', 'timeoutMinutes'],
  ['person', 'approvalMessage'],
  ['agent', 'harnessId'],
  ['after', 'dependsOn'],
  ['pass', 'passPattern'],
  ['fail', 'failPattern'],
  ['loop.limit', 'maxLoops'],
  ['loop', 'loopBackTo'],
  ['retry', 'retries'],
  ['time', 'timeoutMinutes'],
];

/** Where the document says what the long form says at a path. */
export function inDocument(
  root: SourceNode,
  steps: readonly StepDefinition[],
  values: Values,
): (path: string) => string {
  const indexes = new Map(steps.map(({ id }, index) => [id, index]).toReversed() as [string, number][]);
  return (path) => {
    const input = /^inputs\.([^.]+)/.exec(path)?.[1];
    if (input !== undefined) return values.placeOf(input) ?? 'vars';
    if (path.startsWith('workspace.base')) return 'baseBranch';
    const rest = path.startsWith('steps.') ? path.slice('steps.'.length) : undefined;
    return rest === undefined ? path : stepPath(root, indexes, rest);
  };
}

/** The id of a step may hold dots, which is an issue of its own: the longest id that fits is meant. */
function stepPath(root: SourceNode, indexes: ReadonlyMap<string, number>, rest: string): string {
  for (let end = rest.length; end > 0; end = rest.lastIndexOf('.', end - 1)) {
    const index = indexes.get(rest.slice(0, end));
    if (index === undefined) continue;
    const step = `steps.${index}`;
    const key = keyOf(rest.slice(end + 1));
    const node = valueAt(root, 'steps');
    const written = node?.kind === 'list' ? node.items[index] : undefined;
    return key === '' || written === undefined || valueAt(written, key) === undefined ? step : `${step}.${key}`;
  }
  return 'steps';
}

function keyOf(inside: string): string {
  const word = words.find(([own]) => inside === own || inside.startsWith(`${own}.`));
  return word?.[1] ?? inside.split('.')[0] ?? '';
}

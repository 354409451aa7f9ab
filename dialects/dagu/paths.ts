import type { DaguDocument } from '#dialects/dagu/definition.ts';
import { below } from '#dialects/source/reading.ts';

/** Where Dagu's file says what the long form says under a key of a step, longest first. */
const keysOfSteps: readonly (readonly [RegExp, string])[] = [
  [/^after\b.*/, 'depends'],
  [/^when\.and\.(\d+)\.returns$/, 'preconditions.$1+.expected'],
  [/^when\.and\.(\d+).*/, 'preconditions.$1+'],
  [/^when\.returns$/, 'preconditions.0.expected'],
  [/^when\b.*/, 'preconditions.0'],
  [/^loop\.(?:until|while)\.returns$/, 'repeat_policy.expected'],
  [/^loop\.(?:until|while)\b.*/, 'repeat_policy.condition'],
  [/^loop\.limit$/, 'repeat_policy.limit'],
  [/^loop\.to$/, 'with.push_back.rewind_to'],
  [/^loop\b.*/, 'repeat_policy'],
  [/^agent\.fallback\b.*/, 'with.fallback'],
  [/^agent\b.*/, 'with.provider'],
  [/^prompt$/, 'with.prompt'],
  [/^person\.ask$/, 'with.prompt'],
  [/^person\.form\b/, 'with.form'],
  [/^person\.pushBackForm\b/, 'with.push_back.form'],
  [/^person\.show\b/, 'with.artifacts'],
  [/^call\.inputs\b/, 'with.params'],
  [/^call$/, 'with.dag'],
  [/^for\b.*/, 'parallel'],
  [/^output\.artifact$/, 'stdout.artifact'],
  [/^output\.errorsArtifact$/, 'stderr.artifact'],
  [/^continueOn\.matches\b/, 'continue_on.output'],
  [/^continueOn\b/, 'continue_on'],
  [/^retry\b/, 'retry_policy'],
  [/^time$/, 'timeout_sec'],
  [/^checks\.\d+.*/, 'output_schema'],
  [/^directory$/, 'working_dir'],
];

const keysOfRoot: readonly (readonly [RegExp, string])[] = [
  [/^inputs\b/, 'params'],
  [/^limits\.(?:time|deadline)$/, 'timeout_sec'],
  [/^on\.schedule\b.*/, 'schedule'],
  [/^workspace\.repo$/, 'working_dir'],
  [/^workspace\.envFiles\b/, 'dotenv'],
];

/** Where a document says what the definition made of it says at a path. */
export function pathInDag({ places, path: root }: DaguDocument, path: string): string {
  const [, id, rest = ''] = /^steps\.([^.]+)\.?(.*)$/.exec(path) ?? [];
  if (id === undefined) return joined(root, translated(path, keysOfRoot));
  const place = places.get(id);
  return place === undefined ? joined(root, 'steps') : joined(place, translated(rest, keysOfSteps));
}

function joined(root: string, path: string): string {
  return path === '' ? root : below(root, path);
}

/** `$1+`: conditions after the first are counted on from it. */
function translated(path: string, keys: readonly (readonly [RegExp, string])[]): string {
  const found = keys.find(([pattern]) => pattern.test(path));
  if (found === undefined) return path;
  const [pattern, instead] = found;
  return path.replace(pattern, instead).replace(/(\d+)\+/, (_, index: string) => String(Number(index) + 1));
}

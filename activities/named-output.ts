import type { ArtifactRef } from '#core/contract/artifact.ts';
import { jsonOf } from '#core/text/json-block.ts';
import { normaliseText } from '#core/text/normalise.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';

/** No JSON of a step is longer; of what is, no value is read. */
const mostBytes = 4 * 1024 * 1024;

/**
 * A value of an output, read as JSON (`{{steps.x.outputs.name}}`): a text as it is, anything else as JSON writes it. Empty when
 * the output is no JSON or has nothing at `path`, whose keys and indexes are joined by dots.
 */
export async function namedOutput(
  artifacts: Pick<ArtifactStore, 'readText'>,
  { of, path }: { of: ArtifactRef; path: string },
): Promise<string> {
  if (of.bytes > mostBytes) return '';
  const found = valueAt(jsonIn(normaliseText(await artifacts.readText(of.sha256))), path);
  if (found === undefined || found === null) return '';
  return typeof found === 'string' ? found : JSON.stringify(found);
}

/** The whole text, or the one fenced block in it, as agents like to answer. */
function jsonIn(text: string): object | undefined {
  const whole = jsonOf(text);
  if (whole !== undefined) return whole;
  const blocks = [...text.matchAll(/^```(?:json)?[ \t]*\n([\s\S]*?)\n```[ \t]*$/gm)];
  return blocks.length === 1 ? jsonOf(blocks[0]?.[1] ?? '') : undefined;
}

function valueAt(json: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    return Object.entries(value).find(([name]) => name === key)?.[1];
  }, json);
}

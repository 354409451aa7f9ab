import type { ArtifactRef } from '#core/contract/artifact.ts';
import { jsonOf, jsonTextOf } from '#core/text/json-block.ts';
import { normaliseText } from '#core/text/normalise.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';

/** No JSON of a step is longer; of what is, no value is read. */
const mostBytes = 4 * 1024 * 1024;

/**
 * A value of an output, read as JSON (`{{steps.x.outputs.name}}`): a text as it is, anything else as JSON writes it. Empty when
 * the output is no JSON or has nothing at `path`, whose keys and indexes are joined by dots; and when what is there lies too deep to
 * be written.
 */
export async function namedOutput(
  artifacts: Pick<ArtifactStore, 'readText'>,
  { of, path }: { of: ArtifactRef; path: string },
): Promise<string> {
  if (of.bytes > mostBytes) return '';
  const found = valueAt(jsonIn(normaliseText(await artifacts.readText(of.sha256))), path);
  if (found === undefined || found === null) return '';
  return typeof found === 'string' ? found : (jsonTextOf(found) ?? '');
}

/** The whole text, or the one fenced block in it, as agents like to answer. */
function jsonIn(text: string): object | undefined {
  const whole = jsonOf(text);
  if (whole !== undefined) return whole;
  const [block, ...more] = fencedBlocks(text);
  return block === undefined || more.length > 0 ? undefined : jsonOf(block);
}

/** Line by line: the agent writes the text, and no pattern is to look for an end that it never wrote. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: string[] | undefined;
  for (const line of text.split('\n')) {
    const fence = line.trimEnd();
    if (open === undefined) {
      if (fence === '```' || fence === '```json') open = [];
    } else if (fence === '```') {
      blocks.push(open.join('\n'));
      open = undefined;
    } else open.push(line);
  }
  return blocks;
}

function valueAt(json: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    return Object.entries(value).find(([name]) => name === key)?.[1];
  }, json);
}

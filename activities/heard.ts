import type { ArtifactRef } from '#core/contract/artifact.ts';
import { withoutEcho } from '#core/text/echo.ts';
import { normaliseText } from '#core/text/normalise.ts';
import { matchedTailCharacters } from '#core/text/tail.ts';
import { readTail } from '#activities/texts.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';

/** No answer is longer; of what is, the end is judged. */
const mostAnswerBytes = 4 * 1024 * 1024;

/**
 * A5, A9: what is judged of an output. An agent's final answer is judged whole, of a command and a text harness the end; what
 * a text harness printed back of its prompt is left out. `agent` is absent for a command.
 */
export async function heardText(
  artifacts: ArtifactStore,
  output: ArtifactRef,
  agent: { echoed?: ArtifactRef | undefined } | undefined,
): Promise<string> {
  if (agent === undefined || output.bytes > mostAnswerBytes) return readTail(artifacts, output);
  if (agent.echoed === undefined) return normaliseText(await artifacts.readText(output.sha256));
  const text = await readTail(artifacts, output);
  const prompt = normaliseText(await artifacts.readText(agent.echoed.sha256));
  return withoutEcho(text, prompt, text.length >= matchedTailCharacters - 1);
}

import type { Remark } from '#core/run/event.ts';
import { commentLine } from '#core/task/answer-text.ts';
import { normaliseText } from '#core/text/normalise.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { smallExcerpt } from '#infra/process/output-log.ts';

/**
 * What a person says to the next pass, without what a terminal would obey (A9): one line of it in the record, the whole as an
 * artifact. The same text is the same remark.
 */
export async function remarkOf(artifacts: ArtifactStore, by: string, said: string): Promise<Remark> {
  const text = normaliseText(said);
  const { sha256, bytes } = await artifacts.putText(text);
  return { by, comment: commentLine(text), text: { sha256, bytes, excerpt: smallExcerpt(text) } };
}

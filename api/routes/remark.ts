import type { Remark } from '#core/run/event.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { smallExcerpt } from '#infra/process/output-log.ts';

/** Characters of it in the record; the whole is an artifact. */
const longestComment = 1_000;

/** What a person says to the next pass. The same text is the same remark. */
export async function remarkOf(artifacts: ArtifactStore, by: string, text: string): Promise<Remark> {
  const { sha256, bytes } = await artifacts.putText(text);
  const comment = text.length > longestComment ? `${text.slice(0, longestComment - 1)}…` : text;
  return { by, comment, text: { sha256, bytes, excerpt: smallExcerpt(text) } };
}

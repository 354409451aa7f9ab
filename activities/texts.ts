import { createHash } from 'node:crypto';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import { normaliseText } from '#core/text/normalise.ts';
import { redactText } from '#core/text/redact.ts';
import { matchedTailCharacters, tail } from '#core/text/tail.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { smallExcerpt } from '#infra/process/output-log.ts';
import type { Secret } from '#core/text/secret-forms.ts';

/** Four bytes a character at most: enough of the end of any text for its last 20,000 characters. */
const tailBytes = matchedTailCharacters * 4;

/** The end of a stored text, normalised (A5, A9): what templates, matches and schemas see. */
export async function readTail(artifacts: ArtifactStore, ref: ArtifactRef): Promise<string> {
  if (ref.bytes === 0) return '';
  const start = Math.max(0, ref.bytes - tailBytes);
  const parts: Buffer[] = [];
  for await (const part of await artifacts.read(ref.sha256, { start })) parts.push(part as Buffer);
  return tail(normaliseText(Buffer.concat(parts).toString('utf8')));
}

/** Stores a text and gives its reference with the excerpt that may cross a boundary (decision 5). */
export async function putText(
  artifacts: ArtifactStore,
  text: string,
  secrets: readonly Secret[],
): Promise<ArtifactRef> {
  const hidden = redactText(text, secrets);
  const { sha256, bytes } = await artifacts.putText(hidden);
  return { sha256, bytes, excerpt: smallExcerpt(normaliseText(hidden)) };
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

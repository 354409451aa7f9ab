import { createHash } from 'node:crypto';
import { canonicalJson } from '#core/text/canonical-json.ts';

/** SHA-256 of a request's body in one form, whatever the order of its keys: the same request gives the same digest. */
export function bodyDigest(body: unknown): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex');
}

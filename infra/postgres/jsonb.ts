/** Stands for NUL, which Postgres stores in no text. */
const nulPicture = '\u2400';
const replacement = '\uFFFD';

/**
 * A value as text for a jsonb column. Strings and keys come from programs and may hold what Postgres refuses: half of a
 * surrogate pair becomes U+FFFD and NUL becomes U+2400, so that what a run did can always be recorded. `undefined` is null.
 */
export function jsonb(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = JSON.stringify(value);
  // Whole pairs are written as they are: an escaped surrogate is a lone one. Each escape is taken whole, so that a
  // backslash of the text before `u0000` is not mistaken for one.
  return text.includes('\\u') ? text.replaceAll(/\\(?:u([0-9a-f]{4})|.)/g, storable) : text;
}

function storable(escape: string, unit: string | undefined): string {
  if (unit === '0000') return nulPicture;
  return unit !== undefined && /^d[89a-f]/.test(unit) ? replacement : escape;
}

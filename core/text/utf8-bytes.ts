/** How many bytes a code point has in UTF-8. */
export function codePointBytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** How many bytes a text has in UTF-8; a lone surrogate counts as the U+FFFD that it becomes. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += codePointBytes(character.codePointAt(0) ?? 0);
  return bytes;
}

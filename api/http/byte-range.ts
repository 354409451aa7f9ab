/** First byte and count of bytes. */
export interface ByteRange {
  start: number;
  length: number;
}

/**
 * The part that a `Range` header asks for, of a content of `size` bytes (RFC 9110). `whole` when there is no header, or
 * one that this server does not serve (several ranges, another unit); `outside` when no byte of it exists (416).
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'whole' | 'outside' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (match === null) return 'whole';
  const [, from = '', to = ''] = match;
  if (from === '') return to === '' ? 'whole' : suffix(Number(to), size);
  const start = Number(from);
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < start) return 'whole';
  return start < size ? { start, length: end - start + 1 } : 'outside';
}

function suffix(count: number, size: number): ByteRange | 'outside' {
  const length = Math.min(count, size);
  return length === 0 ? 'outside' : { start: size - length, length };
}

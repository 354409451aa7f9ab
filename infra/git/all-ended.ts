/**
 * As `Promise.all`, and rejects only once every part has ended: whoever tidies up after a failure finds nothing that
 * still writes.
 */
export async function allEnded<const T extends readonly unknown[]>(
  parts: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}

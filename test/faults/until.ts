/** A task that a host was given in the moment of its death is missed by its heartbeat alone, after 90 s (decision 15). */
const longestMs = 150_000;

/**
 * Looks again and again until there is something to see. For what no event tells a test in another process: a file that
 * a script made, a row, a process. Rejects after `limitMs`, naming what was waited for.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  limitMs = longestMs,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new TypeError(`waited ${limitMs / 1000} s in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

import { existsSync } from 'node:fs';

/** Looks until `look` gives something, for what no process tells us; rejects after `limitMs` and names it. */
export async function until<T>(what: string, look: () => T | undefined, limitMs = 60_000): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new TypeError(`waited ${limitMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function untilExists(path: string): Promise<void> {
  await until(path, () => existsSync(path) || undefined);
}

import { isPlainName, nameRule } from '#core/plan/compiling.ts';
import type { StepRead } from '#dialects/dagu/step-shape.ts';
import type { Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';

/** Ids of steps: Dagu's own, or made of a name, or of the place in the list. */
export class Ids {
  readonly #taken = new Map<string, string>();
  /** Every word by which a step may be named. */
  readonly words = new Map<string, string>();
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  of(
    { id, name }: Pick<StepRead, 'id' | 'name'>,
    { key, index, path }: { key?: string | undefined; index: number; path: string },
  ): { id: string; name: string } {
    const wanted = id ?? key ?? name ?? `step-${index + 1}`;
    const own = this.#free(plain(wanted), id, path);
    if (id !== undefined && !isPlainName(id)) {
      this.#reading.report(
        below(path, 'id'),
        'step/bad-id',
        `\`${id.slice(0, 80)}\` cannot be the id of a step; ${nameRule}`,
      );
    }
    for (const word of [id, key, name, own]) if (word !== undefined && !this.words.has(word)) this.words.set(word, own);
    return { id: own, name: name ?? id ?? key ?? own };
  }

  #free(wanted: string, id: string | undefined, path: string): string {
    const other = this.#taken.get(wanted);
    if (id !== undefined && other !== undefined) {
      const message = `two steps have the id \`${wanted}\`; rename one`;
      this.#reading.report(below(path, 'id'), 'step/duplicate-id', message);
    }
    let free = wanted;
    for (let count = 2; this.#taken.has(free); count += 1) free = `${wanted.slice(0, 58)}-${count}`;
    this.#taken.set(free, path);
    return free;
  }
}

function plain(word: string): string {
  if (isPlainName(word)) return word;
  const slug = word.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '');
  const led = /^[A-Za-z]/.test(slug) ? slug : `step-${slug}`;
  return led.slice(0, 64);
}

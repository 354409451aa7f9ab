import { isPlainName, nameRule } from '#core/plan/compiling.ts';
import type { StepRead } from '#dialects/dagu/step-shape.ts';
import type { Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';

/** Ids of steps: Dagu's own, or made of a name, or of the place in the list. */
export class Ids {
  readonly #taken = new Map<string, string>();
  /** Every word by which a step may be named. */
  readonly words = new Map<string, string>();
  /** Words that the file gives, by the step that has them first. */
  readonly #given = new Map<string, string>();
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
    if (id !== undefined) this.#checkId(id, own, path);
    const words = [name, key].filter((word) => word !== undefined);
    for (const word of words) this.#give(word, own, path);
    for (const word of [...(id === undefined ? [] : [id]), ...words.toReversed(), own]) {
      if (!this.words.has(word)) this.words.set(word, own);
    }
    return { id: own, name: name ?? id ?? key ?? own };
  }

  #checkId(id: string, own: string, path: string): void {
    this.#given.set(id, own);
    if (isPlainName(id)) return;
    const message = `\`${id.slice(0, 80)}\` cannot be the id of a step; ${nameRule}`;
    this.#reading.report(below(path, 'id'), 'step/bad-id', message);
  }

  /** What `depends` names must be one step. */
  #give(word: string, own: string, path: string): void {
    const other = this.#given.get(word);
    if (other === undefined) this.#given.set(word, own);
    if (other === undefined || other === own) return;
    this.#reading.report(path, 'step/duplicate-id', `two steps are named \`${word.slice(0, 80)}\`; rename one`);
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

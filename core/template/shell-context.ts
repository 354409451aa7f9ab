import { unreachable } from '#core/exhaustive.ts';
import type { TemplatePart } from '#core/template/parse.ts';

/** Where in a command a place stands: `bare` is the only one in which a quoted word stays one word. */
type Context = 'bare' | 'single' | 'double' | 'comment' | 'here-document';

/**
 * The insertions of a command that stand inside quotes or a here-document: there the quotes that we put around a
 * value would not hold (`"'$(date)'"` runs `date`), so A11 cannot be kept. Insertions that are `raw` are the author's.
 */
export function insertionsInQuotes(parts: readonly TemplatePart[]): { path: string; offset: number; inside: string }[] {
  const shell = new ShellReader();
  const found: { path: string; offset: number; inside: string }[] = [];
  for (const part of parts) {
    if (part.kind === 'text') shell.read(part.text);
    if (part.kind !== 'insert') continue;
    const inside = shell.context();
    shell.read('x');
    if (part.raw || inside === 'bare' || inside === 'comment') continue;
    found.push({ path: part.path, offset: part.offset, inside: named[inside] });
  }
  return found;
}

const named = { single: 'single quotes', double: 'double quotes', 'here-document': 'a here-document' } as const;

/** Reads a POSIX shell command piece by piece and knows in which quotes it stands. Substitutions begin afresh. */
class ShellReader {
  #stack: Context[] = ['bare'];
  #before = '';
  #escaped = false;
  #delimiter: string | undefined;
  #line = '';

  context(): Context {
    return this.#stack.at(-1) ?? 'bare';
  }

  read(text: string): void {
    for (let index = 0; index < text.length; index += 1) {
      const character = text[index] ?? '';
      if (this.context() === 'here-document') this.#inHereDocument(character);
      else if (this.#escaped) this.#escaped = false;
      else if (character === '\\' && this.context() !== 'single' && this.context() !== 'comment') this.#escaped = true;
      else index += this.#step(character, text.slice(index, index + 80));
      this.#before = character;
    }
  }

  /** Returns how many further characters it took. */
  #step(character: string, rest: string): number {
    const context = this.context();
    switch (context) {
      case 'single':
        if (character === "'") this.#stack.pop();
        return 0;
      case 'comment':
        if (character !== '\n') return 0;
        this.#stack.pop();
        return this.#inBare(character, rest);
      case 'double':
        if (character === '"') this.#stack.pop();
        return this.#substitution(character, rest);
      case 'bare':
      case 'here-document':
        return this.#inBare(character, rest);
      default:
        return unreachable(context);
    }
  }

  #inBare(character: string, rest: string): number {
    if (character === "'") this.#stack.push('single');
    else if (character === '"') this.#stack.push('double');
    else if (character === '#' && /^[\s;(]?$/.test(this.#before)) this.#stack.push('comment');
    else if (character === ')' && this.#stack.length > 1) this.#stack.pop();
    else if (character === '(') this.#stack.push('bare');
    else if (character === '<') return this.#hereDocument(rest);
    else if (character === '\n' && this.#delimiter !== undefined) this.#stack.push('here-document');
    return 0;
  }

  #substitution(character: string, rest: string): number {
    if (character !== '$' || rest[1] !== '(') return 0;
    this.#stack.push('bare');
    return 1;
  }

  #hereDocument(rest: string): number {
    const here = /^<<-?[ \t]*(['"\\]?)([A-Za-z_]\w*)\1/.exec(rest) ?? /^<<</.exec(rest);
    if (here?.[2] !== undefined) this.#delimiter = here[2];
    return here === null ? 0 : here[0].length - 1;
  }

  #inHereDocument(character: string): void {
    if (character !== '\n') {
      this.#line += character;
      return;
    }
    if (this.#line.trim() === this.#delimiter) {
      this.#delimiter = undefined;
      this.#stack.pop();
    }
    this.#line = '';
  }
}

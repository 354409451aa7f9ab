/** Where in a POSIX shell text a place stands, as far as an inserted value is concerned. */
export type ShellPlace = 'bare' | 'double' | 'single' | 'comment' | 'literal-document' | 'document';

interface HereDocument {
  /** Counts from 0 in the order of the text. */
  number: number;
  delimiter: string;
  place: 'literal-document' | 'document';
  /** It was literal, and is made one in which the shell expands what stands in place of values alone. */
  escaped: boolean;
}

/**
 * Reads a shell text piece by piece and knows in which quotes it stands. In a here-document with a quoted delimiter
 * (`literal-document`) the shell expands nothing; in one without it does. `expands`: literal documents, by their numbers,
 * that are written as ones in which it does.
 */
export class ShellContext {
  readonly #expands: ReadonlySet<number>;
  #stack: ShellPlace[] = ['bare'];
  #before = '';
  #line = '';
  #documents = 0;
  #waiting: HereDocument[] = [];
  #open: HereDocument | undefined;
  /** What is written in place of the delimiter that was just read. */
  #delimiter: string | undefined;

  constructor(expands: ReadonlySet<number> = new Set()) {
    this.#expands = expands;
  }

  place(): ShellPlace {
    return this.#stack.at(-1) ?? 'bare';
  }

  /** The number of the here-document of this place. */
  document(): number | undefined {
    return this.#open?.number;
  }

  /** Returns the text as it is to be written: the same, unless a literal document is to expand. */
  read(text: string): string {
    let written = '';
    for (let index = 0; index < text.length; index += 1) {
      const character = text[index] ?? '';
      if (this.#open !== undefined) {
        written += this.#open.escaped && /[\\$`]/.test(character) ? `\\${character}` : character;
        this.#inDocument(character);
      } else {
        const from = index;
        index += this.#inShell(character, text.slice(index, index + 200));
        written += this.#delimiter ?? text.slice(from, index + 1);
        this.#delimiter = undefined;
      }
      this.#before = character;
    }
    return written;
  }

  #inDocument(character: string): void {
    if (character !== '\n') {
      this.#line += character;
      return;
    }
    if (this.#line.replace(/^\t+/, '') === this.#open?.delimiter) {
      this.#open = undefined;
      this.#stack.pop();
      this.#openDocument();
    }
    this.#line = '';
  }

  /** Returns how many further characters belong to it. */
  #inShell(character: string, rest: string): number {
    const place = this.place();
    if (place === 'single') {
      if (character === "'") this.#stack.pop();
      return 0;
    }
    if (place === 'comment') {
      if (character === '\n') this.#endLine();
      return 0;
    }
    if (character === '\\') return 1;
    return place === 'double' ? this.#inDouble(character, rest) : this.#inBare(character, rest);
  }

  #inDouble(character: string, rest: string): number {
    if (character === '"') this.#stack.pop();
    if (!rest.startsWith('$(')) return 0;
    this.#stack.push('bare');
    return 1;
  }

  #inBare(character: string, rest: string): number {
    if (character === "'") this.#stack.push('single');
    else if (character === '"') this.#stack.push('double');
    else if (character === '#' && /^[\s;(&|]?$/.test(this.#before)) this.#stack.push('comment');
    else if (character === '(') this.#stack.push('bare');
    else if (character === ')' && this.#stack.length > 1) this.#stack.pop();
    else if (character === '\n') this.#endLine();
    else if (character === '<') return this.#documentAt(rest);
    return 0;
  }

  #endLine(): void {
    if (this.place() === 'comment') this.#stack.pop();
    this.#openDocument();
  }

  #openDocument(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#open = next;
    this.#line = '';
    this.#stack.push(next.place);
  }

  #documentAt(rest: string): number {
    if (rest.startsWith('<<<')) return 2;
    const [whole, arrows = '', quote = '', delimiter = ''] =
      /^(<<-?[ \t]*)(['"\\])?([A-Za-z_][\w.-]*)/.exec(rest) ?? [];
    if (whole === undefined) return 0;
    this.#announce(arrows, quote, delimiter);
    const closes = quote === '' || quote === '\\' ? 0 : 1;
    return whole.length - 1 + closes;
  }

  #announce(arrows: string, quote: string, delimiter: string): void {
    const number = this.#documents;
    this.#documents += 1;
    const escaped = quote !== '' && this.#expands.has(number);
    if (escaped) this.#delimiter = `${arrows}${delimiter}`;
    const place = quote === '' || escaped ? 'document' : 'literal-document';
    this.#waiting.push({ number, delimiter, place, escaped });
  }
}

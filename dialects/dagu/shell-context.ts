/** Where in a POSIX shell text a place stands, as far as an inserted value is concerned. */
export type ShellPlace = 'bare' | 'double' | 'single' | 'comment' | 'literal-document' | 'document';

/**
 * Reads a shell text piece by piece and knows in which quotes it stands. In a here-document with a quoted delimiter
 * (`literal-document`) the shell expands nothing; in one without it does.
 */
export class ShellContext {
  #stack: ShellPlace[] = ['bare'];
  #before = '';
  #line = '';
  #waiting: { delimiter: string; quoted: boolean }[] = [];
  #open: string | undefined;

  place(): ShellPlace {
    return this.#stack.at(-1) ?? 'bare';
  }

  read(text: string): void {
    for (let index = 0; index < text.length; index += 1) {
      const character = text[index] ?? '';
      if (this.#open !== undefined) this.#inDocument(character);
      else index += this.#inShell(character, text.slice(index, index + 200));
      this.#before = character;
    }
  }

  #inDocument(character: string): void {
    if (character !== '\n') {
      this.#line += character;
      return;
    }
    if (this.#line.replace(/^\t+/, '') === this.#open) {
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
    this.#open = next.delimiter;
    this.#line = '';
    this.#stack.push(next.quoted ? 'literal-document' : 'document');
  }

  #documentAt(rest: string): number {
    if (rest.startsWith('<<<')) return 2;
    const [whole, first = '', second = ''] = /^<<-?[ \t]*(?:(['"\\])?([A-Za-z_][\w.-]*))/.exec(rest) ?? [];
    if (whole === undefined) return 0;
    this.#waiting.push({ delimiter: second, quoted: first !== '' });
    const closes = first === '' || first === '\\' ? 0 : 1;
    return whole.length - 1 + closes;
  }
}

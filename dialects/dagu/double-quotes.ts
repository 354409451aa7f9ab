/** Makes a text fit for double quotes, piece by piece: what would end them is escaped, the commands in it stay. */
export class DoubleQuotes {
  #parentheses = 0;
  #backticks = false;
  /** The quotes that are open within a command. */
  #open: '"' | "'" | undefined;

  /** Within single quotes of a command nothing is expanded. */
  get isLiteral(): boolean {
    return this.#open === "'";
  }

  read(text: string): string {
    let out = '';
    for (let index = 0; index < text.length; index += 1) {
      const character = text[index] ?? '';
      const isText = !this.#isInCommand() && isEscaped(character, text[index + 1] ?? '');
      this.#follow(character, text[index - 1]);
      out += isText ? `\\${character}` : character;
    }
    return out;
  }

  #isInCommand(): boolean {
    return this.#parentheses > 0 || this.#backticks;
  }

  #follow(character: string, before: string | undefined): void {
    if (this.#isInCommand()) this.#followQuotes(character, before);
    if (this.#open !== undefined) return;
    if (character === '`') this.#backticks = !this.#backticks;
    if (character === '(' && (this.#parentheses > 0 || before === '$')) this.#parentheses += 1;
    if (character === ')' && this.#parentheses > 0) this.#parentheses -= 1;
  }

  #followQuotes(character: string, before: string | undefined): void {
    if (character === this.#open && !(character === '"' && before === '\\')) this.#open = undefined;
    else if (this.#open === undefined && (character === '"' || character === "'") && before !== '\\') {
      this.#open = character;
    }
  }
}

/** A dollar that no shell would read, a backslash before nothing that it escapes, and the quotes themselves. */
function isEscaped(character: string, next: string): boolean {
  if (character === '"') return true;
  if (character === '\\') return !/[$`]/.test(next);
  return character === '$' && !/[\w({?!@*#$-]/.test(next);
}

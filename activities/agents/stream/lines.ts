const maxLineCharacters = 32 * 1024 * 1024;

/**
 * Cuts a stream into lines at "\n" only: U+2028 and U+2029 may stand inside a JSON string.
 * A line longer than 32 Mi characters is dropped, so that one runaway line cannot exhaust the memory.
 */
export class LineSplitter {
  #pending: string[] = [];
  #pendingLength = 0;
  #dropping = false;

  push(chunk: string): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', from)) {
      this.#keep(chunk.slice(from, at));
      this.#close(lines);
      from = at + 1;
    }
    this.#keep(chunk.slice(from));
    return lines;
  }

  /** The last line, when the stream ended without "\n". */
  end(): string[] {
    const lines: string[] = [];
    if (this.#pendingLength > 0) this.#close(lines);
    return lines;
  }

  #keep(part: string): void {
    if (part.length === 0 || this.#dropping) return;
    this.#pending.push(part);
    this.#pendingLength += part.length;
    if (this.#pendingLength <= maxLineCharacters) return;
    this.#dropping = true;
    this.#pending = [];
  }

  #close(lines: string[]): void {
    if (!this.#dropping) lines.push(this.#pending.join(''));
    this.#pending = [];
    this.#pendingLength = 0;
    this.#dropping = false;
  }
}

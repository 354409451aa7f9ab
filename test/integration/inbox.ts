/** What happens, in order, for tests that wait for it. */
export class Inbox<T> {
  readonly #waiting: ((item: T) => void)[] = [];
  readonly #items: T[] = [];

  put(item: T): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#items.push(item);
    else waiting(item);
  }

  /** The next one, now or when it comes. */
  async next(): Promise<T> {
    const item = this.#items.shift();
    return item ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** What came and nobody asked for yet. */
  get unread(): number {
    return this.#items.length;
  }
}

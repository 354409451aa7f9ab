import { tableLines } from '#cli/render/table.ts';
import type { Terminal } from '#cli/terminal.ts';

export interface Listing<T> {
  /** One a line as JSON, for programs. */
  json: boolean | undefined;
  /** What is said when there is nothing. */
  empty: string;
  head: readonly string[];
  row: (one: T) => string[];
}

/** A list of things that a server keeps, as a table or as JSON. */
export function tellList<T>(terminal: Terminal, found: readonly T[], { json, empty, head, row }: Listing<T>): void {
  if (json === true) {
    for (const one of found) terminal.out(JSON.stringify(one));
  } else if (found.length === 0) {
    terminal.err(empty);
  } else {
    for (const line of tableLines([[...head], ...found.map(row)])) terminal.out(line);
  }
}

/** An ISO time to the second, as tables show it. */
export function shortTime(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}

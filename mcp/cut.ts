import type { EventPage } from '#core/contract/http.ts';

/** The longest text that one answer holds, in characters. */
export const longestText = 20_000;

/** A text as far as an answer holds it. `cut` says what is left out and how it is had. */
export interface Cut {
  text: string;
  cut?: string;
}

/** The beginning, or from the character `from` on. */
export function cutHead(whole: string, from = 0): Cut {
  const text = whole.slice(from, from + longestText);
  const end = from + text.length;
  if (from === 0 && end === whole.length) return { text };
  const more = end < whole.length ? `; go on with \`from: ${end}\`` : '';
  return { text, cut: `characters ${from} to ${end} of ${whole.length}${more}` };
}

/** The end. */
export function cutTail(whole: string): Cut {
  if (whole.length <= longestText) return { text: whole };
  return { text: whole.slice(-longestText), cut: `the last ${longestText} of ${whole.length} characters` };
}

const mostEventChars = 40_000;

/** As many events of a page as an answer holds, at least one. */
export function fittingEvents(page: EventPage): object {
  let chars = 0;
  const count = page.events.findIndex((stored, index) => {
    chars += JSON.stringify(stored).length;
    return index > 0 && chars > mostEventChars;
  });
  if (count < 0) return page;
  const events = page.events.slice(0, count);
  return { events, ended: false, cut: `more events follow; go on with \`after: ${events.at(-1)?.seq}\`` };
}

const mostLines = 400;

/** The lines of a text, each a string of its own in JSON. */
export function linesOf(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  if (lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines), `… [cut here: ${lines.length - mostLines} more lines]`];
}

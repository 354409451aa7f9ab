import { createFailureIndex, type FailureLine } from '#core/text/failure-lines.ts';
import { createTail, head, tail } from '#core/text/tail.ts';

/** C9: how much of an output reaches an agent's brief or a verdict's evidence. In characters. */
export const excerptCharacters = 12_000;

const markerRoom = 200;
const indexShare = 0.3;
const headShare = 0.35;

export interface ExcerptKeeper {
  /** Takes normalised text (A9) in pieces of any size. */
  push(text: string): void;
  /** The excerpt of all that was pushed; `path` is named in the marker as the place of the whole. */
  finish(path?: string): Excerpt;
}

export interface Excerpt {
  text: string;
  /** False when `text` is the whole. */
  cut: boolean;
  /** Characters of the whole normalised text. */
  characters: number;
}

/**
 * Builds a C9 excerpt while the output streams by, in memory bounded by the limit: head, marker of what is cut, tail,
 * and an index of failure lines taken from the whole. `limit` is in characters and holds for the result.
 */
export function createExcerpt(limit: number = excerptCharacters): ExcerptKeeper {
  const end = createTail(limit);
  const failures = createFailureIndex();
  let start = '';
  let characters = 0;
  return {
    push(text) {
      characters += text.length;
      if (start.length < limit) start += text.slice(0, limit - start.length);
      end.push(text);
      failures.push(text);
    },
    finish(path) {
      if (characters <= limit) return { text: start, cut: false, characters };
      const { lines, leftOut } = failures.found();
      const index = indexText(lines, leftOut, Math.floor(limit * indexShare));
      const room = Math.max(0, limit - markerRoom - index.length);
      const first = head(start, Math.floor(room * headShare));
      const last = tail(end.text(), room - first.length);
      const missing = characters - first.length - last.length;
      const marker = head(markerText(missing, failures.lineCount(), path), markerRoom - 4);
      return { text: head(`${first}\n${marker}\n${last}${index}`, limit), cut: true, characters };
    },
  };
}

/** C9 for a text that is already whole and normalised. */
export function excerpt(wholeText: string, limit: number = excerptCharacters): string {
  const keeper = createExcerpt(limit);
  keeper.push(wholeText);
  return keeper.finish().text;
}

function markerText(missing: number, lines: number, path: string | undefined): string {
  const where = path === undefined ? '' : `; the whole: ${path}`;
  return `[… ${String(missing)} characters cut of ${String(lines)} lines${where} …]`;
}

function indexText(lines: readonly FailureLine[], leftOut: number, room: number): string {
  if (lines.length === 0) return '';
  const title = '\n\nFailure lines in the whole output:\n';
  const more = 60;
  const kept: string[] = [];
  let used = title.length + more;
  for (const entry of lines) {
    const times = entry.times > 1 ? ` (${String(entry.times)} times)` : '';
    const text = `line ${String(entry.line)}: ${entry.text}${times}\n`;
    if (used + text.length > room) break;
    kept.push(text);
    used += text.length;
  }
  if (kept.length === 0) return '';
  const unsaid = lines.length - kept.length + leftOut;
  return `${title}${kept.join('')}${unsaid > 0 ? `(and ${String(unsaid)} more failure lines)\n` : ''}`;
}

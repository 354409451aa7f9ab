/** A5: how much of a command's output, and of a text harness's stdout, is matched. In characters (UTF-16 units). */
export const matchedTailCharacters = 20_000;

/** The last `limit` characters; never starts in the middle of a surrogate pair, so it may be one shorter. */
export function tail(text: string, limit: number = matchedTailCharacters): string {
  if (text.length <= limit) return text;
  return text.slice(afterPair(text, text.length - limit));
}

/** The first `limit` characters; never ends in the middle of a surrogate pair, so it may be one shorter. */
export function head(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(0, splitsPair(text, limit) ? limit - 1 : limit);
}

export interface TailKeeper {
  push(text: string): void;
  text(): string;
}

/** Keeps the tail of a text that arrives in pieces, in memory of at most twice the limit plus one piece. */
export function createTail(limit: number = matchedTailCharacters): TailKeeper {
  let kept = '';
  return {
    push(text) {
      kept += text;
      if (kept.length > limit * 2) kept = kept.slice(-(limit + 1));
    },
    text: () => tail(kept, limit),
  };
}

function afterPair(text: string, index: number): number {
  return splitsPair(text, index) ? index + 1 : index;
}

function splitsPair(text: string, index: number): boolean {
  return isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(index), 0xdc00, 0xdfff);
}

function isBetween(unit: number, low: number, high: number): boolean {
  return unit >= low && unit <= high;
}

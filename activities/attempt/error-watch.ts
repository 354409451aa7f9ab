/** Longer than any line that a pattern looks for. */
const keptCharacters = 2_000;

/** Looks for a pattern in a stream that comes in pieces of any size. */
export interface ErrorWatch {
  push(bytes: Uint8Array): void;
  /** True from the moment at which the pattern was there. */
  seen(): boolean;
}

/** Watches a stream for `pattern` (without the flag `g`); without one nothing is ever seen. */
export function watchErrors(pattern: RegExp | undefined): ErrorWatch {
  const decoder = new TextDecoder();
  let kept = '';
  let found = false;
  return {
    push(bytes) {
      if (pattern === undefined || found) return;
      kept += decoder.decode(bytes, { stream: true });
      found = pattern.test(kept);
      kept = kept.slice(-keptCharacters);
    },
    seen: () => found,
  };
}

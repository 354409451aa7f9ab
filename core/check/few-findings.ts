import { oneLine } from '#core/text/quote.ts';

const most = { findings: 50, characters: 500 };

/**
 * What of a list of findings crosses a boundary (decision 5): a change of ten thousand protected files, or a host full of
 * leftovers, must not be more than a record can hold. Each is one line; how many more there were is told by the last.
 */
export function fewFindings(findings: readonly string[]): string[] {
  const lines = findings.slice(0, most.findings).map((finding) => oneLine(finding, most.characters));
  const more = findings.length - most.findings;
  return more > 0 ? [...lines, `and ${more} more findings`] : lines;
}

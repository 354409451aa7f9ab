import { oneLine } from '#core/text/quote.ts';
import type { PathChange } from '#core/workspace/snapshot.ts';

/** One line that a difference adds or takes away. */
export interface ChangedLine {
  path: string;
  kind: 'added' | 'removed';
  text: string;
}

const folders = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\//i;
const names = /(?:[._-](?:test|tests|spec|e2e)\.\w+|^test_[^/]*\.py|^conftest\.py|(?:Test|Tests|IT|Spec)\.\w+)$/;

/** How a test is switched off, or the others are, in the languages that agents meet. */
const switches: readonly RegExp[] = [
  /\b(?:it|test|describe|context|suite)(?:\.\w+)*\.(?:skip|todo|fixme|only)\b/,
  /\b(?:xit|xtest|xdescribe|xcontext|fit|fdescribe)\s*\(/,
  /\bskip\s*:\s*(?:true|['"`])/,
  /@pytest\.mark\.(?:skip|skipif|xfail)\b|\bpytest\.(?:skip|xfail)\(/,
  /@unittest\.(?:skip|skipIf|skipUnless|expectedFailure)\b|\bself\.skipTest\(/,
  /\bt\.Skip(?:Now|f)?\(/,
  /#\[ignore\b/,
  /@(?:Disabled|Ignore)\b/,
  /\[(?:Fact|Theory)\(\s*Skip\b|\[Ignore\b/,
  /\bmarkTest(?:Skipped|Incomplete)\(/,
];

const mostFindings = 20;

/**
 * B4: tests that the work took away, or switched off, against the base. A file that went elsewhere under its name is not
 * deleted, and a line that only moved is not new. Advisory: a test may well be wrong, and a person sees it.
 */
export function weakenedTests(changes: readonly PathChange[], lines: readonly ChangedLine[]): string[] {
  const added = new Set(changes.filter(({ change }) => change === 'added').map(({ path }) => nameOf(path)));
  const deleted = changes
    .filter(({ path, change }) => change === 'removed' && isTest(path) && !added.has(nameOf(path)))
    .map(({ path }) => `test_deleted: ${oneLine(path, mostCharacters)}`);
  const before = new Set(lines.filter(({ kind }) => kind === 'removed').map(({ text }) => text.trim()));
  const skipped = lines
    .filter(({ path, kind, text }) => kind === 'added' && switchesOff(path, text) && !before.has(text.trim()))
    .map(({ path, text }) => `test_skipped: ${oneLine(path, mostCharacters)}: ${oneLine(text, mostCharacters)}`);
  const findings = [...new Set([...deleted, ...skipped])];
  if (findings.length <= mostFindings) return findings;
  return [...findings.slice(0, mostFindings), `test_skipped: … and ${findings.length - mostFindings} more`];
}

const mostCharacters = 160;

/** Rust keeps its tests beside the code. */
function switchesOff(path: string, text: string): boolean {
  if (!isTest(path) && !path.endsWith('.rs')) return false;
  const line = text.trim();
  const isComment = /^(?:\/\/|\*|\/\*|#(?!\[))/.test(line);
  return !isComment && switches.some((pattern) => pattern.test(line));
}

function isTest(path: string): boolean {
  return folders.test(path) || names.test(nameOf(path));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

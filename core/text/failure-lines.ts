import { head } from '#core/text/tail.ts';

/** One line of an output that tells of a failure; `line` counts from 1, `times` says how often the same text came. */
export interface FailureLine {
  line: number;
  text: string;
  times: number;
}

const longestLine = 240;
const keptFirst = 60;
const keptLast = 30;

const failure = new RegExp(
  [
    String.raw`\b(?:FAIL|FAILED|FAILURE|FAILURES|ERROR|ERRORS|FATAL|PANIC)\b`,
    String.raw`\b(?:fail|failed|failure|failing|fatal|panic|panicked|error|segfault)\b\s*(?:[:\[(!]|TS\d|at\b|in\b|to\b)`,
    String.raw`(?:Error|Exception)\b\s*[:(\[]`,
    String.raw`^\s*not ok\b`,
    String.raw`^Traceback \(most recent call last\)`,
    String.raw`^E\s{2,}\S`,
    String.raw`^\s*(?:✗|✘|✖|×|❌|●)\s`,
    String.raw`\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?|errors?)\b`,
    String.raw`\b(?:npm ERR!|command not found|No such file or directory|Segmentation fault|Killed$|out of memory)`,
  ].join('|'),
);
/** Every failure line has one of these; a quick look that spares most lines the exact one. */
const hint =
  /fail|error|fatal|panic|segfault|exception|not ok|traceback|npm err!|not found|no such file|segmentation|killed|out of memory|E {2}|E\t|[✗✘✖×❌●]/i;
const harmless = /\b(?:0|no) (?:tests? )?(?:failed|failing|failures?|errors?)\b/i;

/** True for a line that a person would look for first: a failed test, an error, a crash. */
export function tellsOfFailure(line: string): boolean {
  return (
    failure.test(line) && !(harmless.test(line) && !/\b[1-9]\d* (?:failed|failing|failures?|errors?)\b/.test(line))
  );
}

export interface FailureIndex {
  /** Takes whole normalised text in pieces (A9). */
  push(text: string): void;
  /** The failure lines found so far, first ones and last ones, and how many were left out between. */
  found(): { lines: FailureLine[]; leftOut: number };
  /** Lines seen, the unfinished one included. */
  lineCount(): number;
}

/** Collects failure lines of a whole output in bounded memory (C9). A repeated line is kept once and counted. */
export function createFailureIndex(): FailureIndex {
  const first = new Map<string, FailureLine>();
  let last: FailureLine[] = [];
  let leftOut = 0;
  let number = 0;
  let rest = '';

  const take = (raw: string) => {
    number += 1;
    if (!tellsOfFailure(raw)) return;
    const text = head(raw.trim(), longestLine);
    const known = first.get(text) ?? last.find((entry) => entry.text === text);
    if (known !== undefined) known.times += 1;
    else if (first.size < keptFirst) first.set(text, { line: number, text, times: 1 });
    else last.push({ line: number, text, times: 1 });
    if (last.length > keptLast) {
      last = last.slice(1);
      leftOut += 1;
    }
  };

  return {
    push(text) {
      const lines = (rest + text).split('\n');
      // A line without an end must not grow without bound; its start says enough.
      rest = head(lines.pop() ?? '', 4096);
      if (lines.length === 0) return;
      // One look at the whole piece is much cheaper than one at each line.
      if (hint.test(text) || hint.test(lines[0] ?? '')) for (const line of lines) take(head(line, 4096));
      else number += lines.length;
    },
    found() {
      if (rest !== '') {
        take(rest);
        rest = '';
      }
      return { lines: [...first.values(), ...last], leftOut };
    },
    lineCount: () => number + (rest === '' ? 0 : 1),
  };
}

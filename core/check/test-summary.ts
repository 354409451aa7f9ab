import type { TestReport } from '#core/check/test-report.ts';

/** How one tool sums up a test run on its output. Takes text that went through A9. */
interface Summary {
  format: string;
  /** Lines that sum up; every match of the output is added. */
  line: RegExp;
  counts: (text: string) => { passed: number; failed: number; skipped: number };
  /** Lines that name a failing test: the first group. */
  failing?: RegExp;
  /** Lines that only together are a summary: all that match are read as one text. */
  joined?: boolean;
}

const number = (text: string, pattern: RegExp): number =>
  [...text.matchAll(pattern)].reduce((sum, [, digits = '0']) => sum + Number(digits), 0);

const counted = (text: string) => ({
  passed: number(text, /(\d+) (?:passed|passing)\b/g),
  failed: number(text, /(\d+) (?:failed|failing|errors?)\b/g),
  skipped: number(text, /(\d+) (?:skipped|pending|todo|ignored|deselected|xfailed)\b/g),
});

/**
 * Summaries of tools that are asked for no report. Each is anchored at its own line, so that a log that quotes another tool's
 * words is not taken for one. Order: what is unmistakable goes first.
 */
const summaries: readonly Summary[] = [
  {
    format: 'node --test',
    line: /^(?:ℹ|#) (?:pass|fail|cancelled|skipped|todo) \d+$/gm,
    joined: true,
    counts: (text) => ({
      passed: number(text, /^. pass (\d+)$/gm),
      failed: number(text, /^. (?:fail|cancelled) (\d+)$/gm),
      skipped: number(text, /^. (?:skipped|todo) (\d+)$/gm),
    }),
    failing: /^[ \t]*✖ (?!failing tests:)(.+?)(?: \(\d+(?:\.\d+)?ms\))?$/gm,
  },
  {
    format: 'vitest',
    line: /^ {2,}Tests {2}.*\(\d+\)$/gm,
    counts: counted,
    failing: /^ FAIL {2}(.+ > .+)$/gm,
  },
  {
    format: 'jest',
    line: /^Tests: .*\d+ total$/gm,
    counts: counted,
    failing: /^ {2}● (.+ › .+|[^›]+)$/gm,
  },
  {
    format: 'mocha',
    line: /^ {2}\d+ (?:passing(?: \(.+\))?|failing|pending)$/gm,
    joined: true,
    counts: counted,
  },
  {
    format: 'pytest',
    line: /^(?:=+ )?(?=.*\d+ (?:passed|failed|errors?|skipped|xfailed|deselected)\b).* in \d+(?:\.\d+)?s(?: \(.+\))?(?: =+)?$/gm,
    counts: counted,
    failing: /^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$/gm,
  },
  {
    format: 'unittest',
    line: /^Ran \d+ tests? in [\d.]+s\n\n(?:OK|FAILED)(?: \(.+\))?$/gm,
    counts: (text) => {
      const ran = number(text, /^Ran (\d+)/g);
      const failed = number(text, /(?:failures|errors)=(\d+)/g);
      const skipped = number(text, /skipped=(\d+)/g);
      return { passed: Math.max(0, ran - failed - skipped), failed, skipped };
    },
    failing: /^(?:FAIL|ERROR): (.+)$/gm,
  },
  {
    format: 'cargo test',
    line: /^test result: (?:ok|FAILED)\. .+$/gm,
    counts: counted,
    failing: /^test (\S+) \.\.\. FAILED$/gm,
  },
  {
    format: 'go test -v',
    line: /^[ \t]*--- (?:PASS|FAIL|SKIP): .+ \([\d.]+s\)$/gm,
    joined: true,
    counts: (text) => ({
      passed: [...text.matchAll(/--- PASS:/g)].length,
      failed: [...text.matchAll(/--- FAIL:/g)].length,
      skipped: [...text.matchAll(/--- SKIP:/g)].length,
    }),
    failing: /^[ \t]*--- FAIL: (\S+) \([\d.]+s\)$/gm,
  },
  {
    format: 'Maven',
    line: /^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$/gm,
    counts: (text) => {
      const failed = number(text, /(?:Failures|Errors): (\d+)/g);
      const skipped = number(text, /Skipped: (\d+)/g);
      return { passed: Math.max(0, number(text, /run: (\d+)/g) - failed - skipped), failed, skipped };
    },
  },
];

/** What a command's own output tells of the tests that it ran; undefined when nothing in it is a summary. */
export function readSummary(whole: string): TestReport | undefined {
  const output = withoutLongLines(whole);
  for (const { format, line, joined, counts, failing } of summaries) {
    const found = [...output.matchAll(line)].map(([text]) => text);
    if (found.length === 0) continue;
    const texts = joined === true ? [found.join('\n')] : found;
    const sums = texts.map(counts);
    const total = (key: 'passed' | 'failed' | 'skipped') => sums.reduce((sum, one) => sum + one[key], 0);
    const names = failing === undefined ? [] : [...new Set([...output.matchAll(failing)].map(([, name = '']) => name))];
    const failed = total('failed');
    return {
      format,
      ran: total('passed') + failed,
      failed,
      skipped: total('skipped'),
      ...(failing === undefined ? {} : { failing: names }),
    };
  }
  return undefined;
}

const longestLine = 1_000;

/** No summary is that long, and on such a line a pattern could take its time. */
function withoutLongLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.length > longestLine ? '' : line))
    .join('\n');
}

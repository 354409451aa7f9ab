/** One row of the C10 table: what differs between two runs of the same failure without meaning anything. */
export interface FingerprintRule {
  name: string;
  /** Two texts that the rule makes equal. */
  example: readonly [string, string];
  apply(text: string): string;
}

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const testLine =
  /^\s*(?:[✓✔✗✘✖×●]|PASS\b|FAIL\b|ok\b|not ok\b|--- (?:PASS|FAIL|SKIP)|PASSED\b|FAILED\b|test \S+ \.\.\.|\S+::\S+ (?:PASSED|FAILED|SKIPPED|ERROR))/;
/** Of a line so much is looked at for the name of a test: a long one would take its time. */
const longestName = 1_000;
/** No two of its repetitions can take the same characters: a line of spaces must not take minutes. */
const progressLine =
  /^(?:\s*[⠀-⣿]|[\s#=>█▓▒░.[-]{4,}(?:\]\s*)?\d{1,3}\s?%|\s*\d{1,3}(?:\.\d+)?\s?%(?:\s|$)|\s*(?:Downloading|Fetching|Compiling|Progress)\b.*\d\s?%)/;

/**
 * C10, the one table. Order matters: what is long and well-formed (timestamps, paths) goes before what is short
 * (durations, ports), so that a short rule does not break a long form.
 */
export const fingerprintRules: readonly FingerprintRule[] = [
  {
    name: 'progress lines',
    example: ['a\n 45% |####\nb', 'a\n 99% |########\nb'],
    apply: (text) =>
      text
        .split('\n')
        .filter((line) => !progressLine.test(line))
        .join('\n'),
  },
  replaced('timestamps', ['at 2026-01-02T03:04:05.678Z x', 'at 2027-11-12T13:14:15+01:00 x'], '<time>', [
    // As names of files have them: npm names its log so in every failure.
    /(?<!\d)\d{4}-\d{2}-\d{2}[T_-]\d{2}[_-]\d{2}[_-]\d{2}(?:[._-]\d{3,9})?Z?(?!\d)/g,
    /(?<!\d)(?:19|20)\d{6}[T_-]\d{6}Z?(?!\d)/g,
    /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?Z|\s?[+-]\d{2}:?\d{2})?/g,
    new RegExp(
      String.raw`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d{1,2} )?(?:${months}) +\d{1,2}(?:,? \d{4})? \d{2}:\d{2}(?::\d{2})?`,
      'g',
    ),
    /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AP]M)?\b/g,
    /\b1[6-9]\d{8}(?:\d{3})?\b/g,
  ]),
  replaced('temporary paths', ['open /tmp/abc-1/x.json', 'open /tmp/zz9/x.json'], '<tmp>/', [
    /(?:\/private)?(?:\/var\/folders\/[\w+-]+\/[\w+-]+\/T|\/var\/tmp|\/tmp|\/dev\/shm)\/[^\s/:'")\]]+\/?/g,
    /\b[A-Z]:\\[^\s:'"]*\\Temp\\[^\s\\:'"]+\\?/g,
  ]),
  replaced(
    'identifiers',
    ['id 3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'id 00000000-4f89-41d3-9a0c-0305e82c33ff'],
    '<id>',
    [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ),
  replaced('addresses', ['object at 0x7f01aa', 'object at 0x55ffbb'], '<address>', [/\b0x[0-9a-f]{4,}\b/gi]),
  replaced('ports', ['connect ECONNREFUSED 127.0.0.1:41233', 'connect ECONNREFUSED 127.0.0.1:50001'], '$1<port>', [
    /((?:\b\d{1,3}(?:\.\d{1,3}){3}|\blocalhost|\[::1?\]|\b0\.0\.0\.0):)\d{2,5}\b/gi,
    /(\bports? )\d{2,5}\b/gi,
  ]),
  replaced('process ids', ['worker pid 123 died', 'worker pid 98765 died'], '$1<pid>', [
    /(\b(?:pid|process|PID)[ =:#]{1,2})\d+\b/g,
    /(==)\d+(?===)/g,
  ]),
  replaced('durations', ['2 passed (1.23s) in 45 ms', '2 passed (9.1s) in 7 ms'], '<duration>', [
    /\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?)\b(?:\s?\d+(?:\.\d+)?\s?(?:ms|s|m)\b)*/g,
  ]),
  replaced(
    'measured times',
    [
      'duration_ms: 2.83\n# duration_ms 497.02\n<testcase time="0.003">',
      'duration_ms: 11.5\n# duration_ms 8\n<testcase time="1.2">',
    ],
    '$1<duration>',
    [
      /(\bduration_ms[ \t]+)\d+(?:\.\d+)?/g,
      /(\b(?:duration|elapsed|time)(?:_?(?:ms|s|sec|seconds))?["']?[ \t]*[:=][ \t]*["']?)\d[\d:]*(?:\.\d+)?/gi,
    ],
  ),
  {
    name: 'order of test ids',
    example: ['FAIL a.test\nFAIL b.test', 'FAIL b.test\nFAIL a.test'],
    apply: sortTestLines,
  },
];

/** The text that a C8 fingerprint is taken of. Takes text that went through A9; total and deterministic. */
export function normaliseForFingerprint(text: string): string {
  return fingerprintRules.reduce((current, rule) => rule.apply(current), text);
}

/** Test lines are sorted among the places they hold, without their running numbers; all else stays where it is. */
function sortTestLines(text: string): string {
  const lines = text.split('\n');
  const places = lines.flatMap((line, index) => (testLine.test(line.slice(0, longestName)) ? [index] : []));
  const sorted = places.map((index) => (lines[index] ?? '').replace(/^(\s*(?:not )?ok) \d+/, '$1')).toSorted();
  places.forEach((place, index) => {
    lines[place] = sorted[index] ?? '';
  });
  return lines.join('\n');
}

function replaced(
  name: string,
  example: readonly [string, string],
  replacement: string,
  patterns: readonly RegExp[],
): FingerprintRule {
  return {
    name,
    example,
    apply: (text) => patterns.reduce((current, pattern) => current.replace(pattern, replacement), text),
  };
}

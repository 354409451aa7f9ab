import { describe, expect, test } from 'vitest';
import { fingerprintRules, normaliseForFingerprint } from '#core/text/fingerprint.ts';

describe('C10 normalisation for fingerprints', () => {
  test.each(fingerprintRules.map((rule) => [rule.name, rule] as const))(
    '%s do not tell two failures apart',
    (_name, rule) => {
      const [one, other] = rule.example;
      expect(one).not.toBe(other);
      expect(rule.apply(one)).toBe(rule.apply(other));
      expect(normaliseForFingerprint(one)).toBe(normaliseForFingerprint(other));
    },
  );

  test.each([
    ['FAIL a.test\nexpected 2 got 3', 'FAIL a.test\nexpected 2 got 4'],
    ['FAIL a.test', 'FAIL b.test'],
    ['src/a.ts:12:5 error', 'src/a.ts:13:5 error'],
    ['2 failed', '3 failed'],
    ['version 1.2.3', 'version 1.2.4'],
  ])('what a failure says still counts: %j and %j differ', (one, other) => {
    expect(normaliseForFingerprint(one)).not.toBe(normaliseForFingerprint(other));
  });

  test.each([
    [
      'in /root/.npm/_logs/2026-11-30T21_59_07_117Z-debug-0.log',
      'in /root/.npm/_logs/2026-12-01T01_02_03_004Z-debug-0.log',
    ],
    ['see report-20261130-215907.txt', 'see report-20270102-030405.txt'],
    ['kept as 2026-11-30_21-59-07.tar', 'kept as 2027-01-02_03-04-05.tar'],
  ])('a file that is named after its time is the same file: %j', (one, other) => {
    expect(normaliseForFingerprint(one)).toBe(normaliseForFingerprint(other));
  });

  test('TAP lines in another order and with other numbers are the same', () => {
    const one = 'not ok 1 - a (3.4ms)\nok 2 - b\n# pid 12';
    const other = 'ok 1 - b\nnot ok 2 - a (9ms)\n# pid 4711';
    expect(normaliseForFingerprint(one)).toBe(normaliseForFingerprint(other));
  });

  test('normalising twice changes nothing more', () => {
    const text = fingerprintRules.map((rule) => rule.example[0]).join('\n');
    expect(normaliseForFingerprint(normaliseForFingerprint(text))).toBe(normaliseForFingerprint(text));
  });
});

test.each([' ', ':', '=', '1', '1 ', '.', '-', '[', '(', 'time ', 'A:\\', '/tmp/', '0x', 'test ', '::'])(
  'C10: a line of nothing but %j is read in a moment',
  { timeout: 1_000 },
  (part) => {
    const line = part.repeat(20_000 / part.length);
    expect(normaliseForFingerprint(line).length).toBeLessThanOrEqual(line.length);
  },
);

import { describe, expect, test } from 'vitest';

import { evidenceProblem, failingTests, mergedReport } from '#core/check/test-report.ts';
import { readSummary } from '#core/check/test-summary.ts';

const outputs: [string, string, { ran: number; failed: number; skipped: number; failing?: string[] }][] = [
  [
    'node --test',
    '✔ adds (1.0ms)\n▶ nest\n  ✖ inner (40.4ms)\n✖ nest (52.2ms)\nℹ tests 4\nℹ suites 0\nℹ pass 1\nℹ fail 2\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 771.3\n\n✖ failing tests:\n\n✖ inner (40.4ms)\n',
    { ran: 3, failed: 2, skipped: 1, failing: ['inner', 'nest'] },
  ],
  [
    'vitest',
    ' FAIL  src/a.test.ts > sum > adds\nAssertionError: no\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed | 1 skipped (5)\n   Start at  10:00:00\n',
    { ran: 4, failed: 1, skipped: 1, failing: ['src/a.test.ts > sum > adds'] },
  ],
  [
    'jest',
    '  ● sum › adds\n\n    expect(1)\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 2 skipped, 3 passed, 6 total\nSnapshots:   0 total\n',
    { ran: 4, failed: 1, skipped: 2, failing: ['sum › adds'] },
  ],
  ['mocha', '\n  5 passing (12ms)\n  1 pending\n  2 failing\n\n  1) sum\n', { ran: 7, failed: 2, skipped: 1 }],
  [
    'pytest',
    'FAILED tests/test_a.py::test_adds - assert 1 == 2\nERROR tests/test_b.py::test_c\n=== 1 failed, 2 passed, 1 skipped, 1 error in 0.12s ===\n',
    { ran: 4, failed: 2, skipped: 1, failing: ['tests/test_a.py::test_adds', 'tests/test_b.py::test_c'] },
  ],
  ['pytest', '3 passed in 0.01s\n', { ran: 3, failed: 0, skipped: 0, failing: [] }],
  [
    'unittest',
    'FAIL: test_adds (test_a.Sum)\n----\nRan 3 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n',
    { ran: 2, failed: 1, skipped: 1, failing: ['test_adds (test_a.Sum)'] },
  ],
  [
    'cargo test',
    'test sum::adds ... FAILED\ntest result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured\n\ntest result: ok. 3 passed; 0 failed; 0 ignored\n',
    { ran: 8, failed: 1, skipped: 2, failing: ['sum::adds'] },
  ],
  [
    'go test -v',
    '--- PASS: TestA (0.00s)\n    --- FAIL: TestB/sub (0.00s)\n--- FAIL: TestB (0.00s)\n--- SKIP: TestC (0.00s)\nFAIL\n',
    { ran: 3, failed: 2, skipped: 1, failing: ['TestB/sub', 'TestB'] },
  ],
  ['Maven', '[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n', { ran: 4, failed: 2, skipped: 1 }],
];

describe('B9: what an output tells of the tests that ran', () => {
  test.each(outputs)('B9: %s', (format, output, counts) => {
    expect(readSummary(output)).toEqual({ format, ...counts });
  });

  test.each([
    ['no tests at all', 'ℹ tests 0\nℹ pass 0\nℹ fail 0\nℹ skipped 0\n', 0],
    ['only skipped ones', '=== 3 skipped in 0.01s ===\n', 0],
  ])('B9, R005: %s is no evidence', (_what, output, ran) => {
    const report = readSummary(output);
    expect(report?.ran).toBe(ran);
    expect(evidenceProblem({ tests: 1 }, report)).toContain('0 test(s) ran');
  });

  test.each([
    'I ran 5 passing tests.',
    'All 12 passed',
    'Tests: fine',
    'no tests configured',
    '{"passed": 3}',
    '    3 passed in 2 seconds',
  ])('B9: "%s" is no summary', (output) => {
    expect(readSummary(output)).toBeUndefined();
  });

  test('B9: a line without an end takes no time', { timeout: 2_000 }, () => {
    expect(readSummary(`${'1'.repeat(200_000)} passed ${' 1 passed'.repeat(50_000)} in`)).toBeUndefined();
  });
});

describe('B11: the names of failing tests', () => {
  const report = { format: 'x', ran: 3, failed: 2, skipped: 0 };

  test('B11: durations and order do not matter', () => {
    const names = failingTests({ ...report, failing: ['b took 12 ms', 'a'] });
    expect(names).toEqual(failingTests({ ...report, failing: ['a', 'b took 340 ms'] }));
  });

  test('B11: a failing test without a name, or more than an event can carry, makes them unknown', () => {
    expect(failingTests({ ...report, failing: ['a'] })).toBeUndefined();
    expect(failingTests(report)).toBeUndefined();
    const many = Array.from({ length: 500 }, (_, index) => `test number ${index}`);
    expect(failingTests({ ...report, failed: 500, failing: many })).toBeUndefined();
  });

  test('B9: several reports are one', () => {
    const one = { ...report, failing: ['a', 'b'] };
    expect(mergedReport([])).toBeUndefined();
    expect(mergedReport([one, one])).toEqual({ ...report, ran: 6, failed: 4, failing: ['a', 'b', 'a', 'b'] });
    expect(mergedReport([one, report])?.failing).toBeUndefined();
  });
});

test('B9: a million empty lines are looked through in a moment', { timeout: 2_000 }, () => {
  expect(readSummary('\n'.repeat(1_000_000))).toBeUndefined();
});

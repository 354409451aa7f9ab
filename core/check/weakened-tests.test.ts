import { describe, expect, test } from 'vitest';

import { type ChangedLine, weakenedTests } from '#core/check/weakened-tests.ts';

const added = (path: string, text: string): ChangedLine => ({ path, kind: 'added', text });

describe('B4: deleted or skipped tests are reported', () => {
  test('B4: a test file that is gone; one that moved, and code that is gone, are none', () => {
    const findings = weakenedTests(
      [
        { path: 'test/a.ts', change: 'removed' },
        { path: 'src/b.test.ts', change: 'removed' },
        { path: 'tests/b.test.ts', change: 'added' },
        { path: 'src/contest.ts', change: 'removed' },
        { path: 'pkg/sum_test.go', change: 'removed' },
        { path: 'test_sum.py', change: 'removed' },
        { path: 'src/SumTest.java', change: 'modified' },
      ],
      [],
    );
    expect(findings).toEqual(['test_deleted: test/a.ts', 'test_deleted: pkg/sum_test.go', 'test_deleted: test_sum.py']);
  });

  test.each([
    ['a.test.ts', `  it.skip('adds', () => {`],
    ['a.test.ts', `test.concurrent.skip('adds')`],
    ['a.test.ts', `describe.only('one', () => {`],
    ['a.spec.js', `xit('adds', () => {`],
    ['a.test.mjs', `test('adds', { skip: true }, () => {`],
    ['tests/test_a.py', '@pytest.mark.skip(reason="later")'],
    ['tests/test_a.py', '@unittest.skip("later")'],
    ['a_test.go', '	t.Skip("later")'],
    ['src/lib.rs', '    #[ignore]'],
    ['src/ATest.java', '@Disabled'],
    ['ATests.cs', '[Fact(Skip = "later")]'],
    ['tests/ATest.php', '$this->markTestSkipped();'],
  ])('B4: %s: %s', (path, text) => {
    expect(weakenedTests([], [added(path, text)])).toEqual([expect.stringMatching(/^test_skipped: /)]);
  });

  test.each([
    ['src/list.ts', 'list.skip(3); it.skip'],
    ['a.test.ts', `it('skips what is done', () => {`],
    ['a.test.ts', `// it.skip('adds')`],
    ['a.test.ts', 'await exit(0);'],
    ['a.test.ts', 'unfit(3)'],
    ['src/main.rs', '// #[ignore]'],
  ])('B4: %s: %s is none', (path, text) => {
    expect(weakenedTests([], [added(path, text)])).toEqual([]);
  });

  test('B4: a skip that only moved, or was taken away, is none', () => {
    const line = `it.skip('adds', () => {`;
    expect(weakenedTests([], [{ path: 'a.test.ts', kind: 'removed', text: line }])).toEqual([]);
    expect(
      weakenedTests([], [{ path: 'a.test.ts', kind: 'removed', text: line }, added('b.test.ts', `  ${line}`)]),
    ).toEqual([]);
  });

  test('B4: very many of them are counted', () => {
    const lines = Array.from({ length: 50 }, (_, index) => added('a.test.ts', `it.skip('${index}')`));
    expect(weakenedTests([], lines)).toHaveLength(21);
  });
});

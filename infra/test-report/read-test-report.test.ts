import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readTap } from '#infra/test-report/read-tap.ts';
import { readTestOutput, readTestReport } from '#infra/test-report/read-test-report.ts';

const folder = mkdtempSync(join(tmpdir(), 'setpoint-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, 'a.test.mjs'),
  `import test from 'node:test';
test('adds', () => {});
test('old', () => { throw new Error('old'); });
test.skip('later', () => {});
test('nest', async (t) => { await t.test('good', () => {}); await t.test('bad', () => { throw new Error('no'); }); });
`,
);

/** What Node's own runner prints, whatever it exits with. */
function run(reporter: string): string {
  const env = { PATH: process.env['PATH'], NO_COLOR: '1' };
  const script = `node --test --test-reporter=${reporter} a.test.mjs || true`;
  return execFileSync('sh', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
}

describe('B9: reports of a real runner', () => {
  test('B9: TAP, also with other words before and after it; tests inside of tests count, what sums them up does not', () => {
    const report = { format: 'TAP', ran: 4, failed: 2, skipped: 1, failing: ['old', 'nest > bad'] };
    expect(readTestReport(run('tap'), folder)).toEqual(report);
    expect(readTestOutput(`> test\n> node --test\n\n${run('tap')}\nnpm error code 1\n`)).toEqual(report);
  });

  test('B9: JUnit', () => {
    const failing = ['test > old', 'test > bad'];
    expect(readTestReport(run('junit'), folder)).toEqual({ format: 'JUnit', ran: 4, failed: 2, skipped: 1, failing });
  });

  test('B9: the words that are meant for people', () => {
    expect(readTestOutput(run('spec'))).toMatchObject({ format: 'node --test', failing: ['old', 'bad', 'nest'] });
  });
});

describe('B9: forms of reports', () => {
  test.each([
    ['<testsuites/>', 0],
    ['<?xml version="1.0"?><testsuites><testsuite name="a"/></testsuites>', 0],
    ['<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>', 1],
    ['<testsuite><testsuite><testcase name="1"/></testsuite><testcase name="2"><error/></testcase></testsuite>', 2],
    ['TAP version 13\n1..0\n', 0],
    ['1..2\nok 1 - a\nnot ok 2 - b # TODO later\n', 1],
  ])('B9: %s', (text, ran) => {
    expect(readTestReport(text, folder)).toMatchObject({ ran, failed: text.includes('<error/>') ? 1 : 0 });
  });

  test.each([
    '',
    'fine',
    '<html><body>42</body></html>',
    '<testsuite><testcase name="cut',
    '{"a": 1}',
    '{',
    'ok then\n',
  ])('B9: %j is no report', (text) => {
    expect(readTestReport(text, folder)).toBeUndefined();
  });

  test('B9: TAP that was cut off, or that bailed out, has failed', () => {
    expect(readTestReport('TAP version 13\n1..3\nok 1 - a\n', folder)).toMatchObject({ ran: 1, failed: 1 });
    expect(readTestReport('TAP version 13\nok 1 - a\nBail out! no disk\n', folder)?.failing).toContain('Bail out');
  });

  test('B9: entities that a report declares stay words', () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]>';
    const report = readTestReport(
      `<?xml version="1.0"?>${bomb}<testsuite><testcase name="&c;"><failure/></testcase></testsuite>`,
      folder,
    );
    expect(report?.failing).toEqual(['&c;']);
  });

  test('B9: JSON of vitest and jest, with the file but not its place; a file that could not be loaded has failed', () => {
    const testResults = [
      {
        name: join(folder, 'a.test.ts'),
        status: 'failed',
        assertionResults: [
          { fullName: 'sum adds', status: 'failed' },
          { fullName: 'x', status: 'pending' },
        ],
      },
      { name: join(folder, 'b.test.ts'), status: 'failed', assertionResults: [] },
    ];
    const failing = ['a.test.ts > sum adds', 'b.test.ts'];
    const report = readTestReport(JSON.stringify({ numTotalTests: 2, testResults }), folder);
    expect(report).toEqual({ format: 'jest', ran: 2, failed: 2, skipped: 1, failing });
  });

  test('B9: JSON of mocha and of pytest', () => {
    const mocha = { stats: { passes: 2, failures: 1, pending: 1 }, failures: [{ fullTitle: 'sum adds' }] };
    expect(readTestReport(JSON.stringify(mocha), folder)).toMatchObject({ ran: 3, failed: 1, failing: ['sum adds'] });
    const tests = [
      { nodeid: 'a::b', outcome: 'passed' },
      { nodeid: 'a::c', outcome: 'error' },
    ];
    const pytest = { summary: { total: 2 }, tests };
    expect(readTestReport(JSON.stringify(pytest), folder)).toMatchObject({ ran: 2, failed: 1, failing: ['a::c'] });
  });

  test('B9: a report of a hundred thousand failed and skipped tests is read in a moment', () => {
    const cases = '<testcase name="a"><failure/></testcase><testcase name="b"><skipped/></testcase>'.repeat(50_000);
    const begun = performance.now();
    expect(readTestReport(`<testsuite>${cases}</testsuite>`, folder)).toMatchObject({
      failed: 50_000,
      skipped: 50_000,
    });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test('B9: TAP whose tests are so deep inside of others that it takes too long is no report', () => {
    const lines = Array.from({ length: 2_000 }, (_, level) => `${'    '.repeat(level)}# Subtest: a\n`);
    expect(readTap(`TAP version 13\n${lines.join('')}`, 200)).toBeUndefined();
    expect(readTap('TAP version 13\nok 1 - a\n1..1\n', 200)).toMatchObject({ ran: 1 });
  });
});

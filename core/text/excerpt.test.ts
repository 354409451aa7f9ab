import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createExcerpt, excerpt } from '#core/text/excerpt.ts';
import { tellsOfFailure } from '#core/text/failure-lines.ts';
import { createTail, tail } from '#core/text/tail.ts';

const log = (lines: number, word: string) =>
  Array.from({ length: lines }, (_, n) => `${word} ${String(n)} ${'.'.repeat(60)}`).join('\n');

describe('C9 excerpt', () => {
  test('a text within the limit stays whole', () => {
    expect(excerpt('short\ntext')).toBe('short\ntext');
  });

  test('a failure in the middle of a long log is in the index, with its line number (R017)', () => {
    const text = `${log(300, 'set-up')}\nFAIL src/a.test: expected 2 got 3\n${log(200, 'clean-up')}`;
    const found = excerpt(text);
    expect(found).toContain('line 301: FAIL src/a.test: expected 2 got 3');
    expect(found).toMatch(/^set-up 0 /);
    expect(found).toContain('clean-up 199');
    expect(found).toMatch(/\[… \d+ characters cut of 501 lines …\]/);
    expect(found.length).toBeLessThanOrEqual(12_000);
  });

  test('the marker names the path of the whole', () => {
    const keeper = createExcerpt();
    keeper.push(log(500, 'line'));
    expect(keeper.finish('.setpoint/evidence/test.log')).toMatchObject({
      cut: true,
      text: expect.stringContaining('the whole: .setpoint/evidence/test.log') as string,
    });
  });

  test('a failure that comes a thousand times takes one line of the index', () => {
    const text = `${log(200, 'a')}\n${'Error: connection refused\n'.repeat(1000)}FAIL the real one\n${log(200, 'b')}`;
    const found = excerpt(text);
    expect(found).toContain('Error: connection refused (1000 times)');
    expect(found).toContain('FAIL the real one');
  });

  test('more failures than fit are counted, and first and last ones are kept', () => {
    const text = Array.from({ length: 5_000 }, (_, n) => `FAIL test ${String(n)} ${'.'.repeat(100)}`).join('\n');
    const found = excerpt(text);
    expect(found).toMatch(/and \d+ more failure lines/);
    expect(found.length).toBeLessThanOrEqual(12_000);
  });

  test('the limit holds and chunks do not matter, for any text', () => {
    const line = fc.oneof(fc.string({ maxLength: 80 }), fc.constant('FAIL x'), fc.constant('😀'.repeat(40)));
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60 }),
        fc.integer({ min: 500, max: 2000 }),
        fc.integer({ min: 1, max: 97 }),
        (lines, limit, step) => {
          const text = lines.join('\n');
          const keeper = createExcerpt(limit);
          for (let at = 0; at < text.length; at += step) keeper.push(text.slice(at, at + step));
          const found = keeper.finish().text;
          expect(found).toBe(excerpt(text, limit));
          expect(found.length).toBeLessThanOrEqual(Math.max(limit, text.length <= limit ? text.length : 0));
        },
      ),
    );
  });
});

describe('failure lines', () => {
  test.each([
    'FAIL src/a.test.ts > adds',
    '2 failed, 5 passed',
    'TypeError: x is not a function',
    'error TS2345: Argument of type',
    'error[E0308]: mismatched types',
    'not ok 3 - works',
    '  ✗ adds numbers',
    '--- FAIL: TestAdd (0.00s)',
    'E       assert 1 == 2',
    'npm ERR! code 1',
    'bash: foo: command not found',
    "thread 'main' panicked at src/main.rs:2:5",
    'Traceback (most recent call last):',
    '0 errors, 3 failed',
  ])('"%s" tells of a failure', (line) => expect(tellsOfFailure(line)).toBe(true));

  test.each([
    '0 failed',
    'Tests: 12 passed, 0 failures',
    'no errors',
    'Downloading failure-report 1.0',
    'ok 3 - works',
  ])('"%s" does not', (line) => expect(tellsOfFailure(line)).toBe(false));
});

describe('A5 tail', () => {
  test('the last 20,000 characters, and never half a character', () => {
    expect(tail('a'.repeat(30_000)).length).toBe(20_000);
    expect(tail('😀😀', 3)).toBe('😀');
  });

  test('a tail kept while text streams by equals the tail of the whole', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 30 }), (parts, limit) => {
        const keeper = createTail(limit);
        for (const part of parts) keeper.push(part);
        expect(keeper.text()).toBe(tail(parts.join(''), limit));
      }),
    );
  });
});

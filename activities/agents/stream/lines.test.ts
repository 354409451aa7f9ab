import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from '#activities/agents/stream/lines.ts';

function split(chunks: string[]): string[] {
  const splitter = new LineSplitter();
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

test('lines are the same however the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u2028', '😀') })), (chunks) => {
      const lines = chunks.join('').split('\n');
      if (lines.at(-1) === '') lines.pop();
      expect(split(chunks)).toEqual(lines);
    }),
  );
});

test('only "\\n" ends a line: U+2028 and U+2029 may stand in a JSON string', () => {
  expect(split(['{"a":"x\u2028y\u2029z"}\n'])).toEqual(['{"a":"x\u2028y\u2029z"}']);
});

test('a line above 32 Mi characters is dropped and the next one is read', () => {
  const mebi = 'x'.repeat(1024 * 1024);
  const huge = Array.from({ length: 33 }, () => mebi);
  expect(split(['first\n', ...huge, '\nlast\n'])).toEqual(['first', 'last']);
});

test('a line of 20 MiB in small pieces is one line', () => {
  const lines = split([...Array.from({ length: 20_480 }, () => 'y'.repeat(1024)), '\n']);
  expect(lines.map((line) => line.length)).toEqual([20 * 1024 * 1024]);
});

import { expect, test } from 'vitest';
import { trimming } from '#activities/attempt/streams.ts';

function heard(parts: Iterable<string>): string {
  const written: string[] = [];
  const write = trimming({ write: (bytes) => void written.push(Buffer.from(bytes).toString()) });
  for (const part of parts) write(Buffer.from(part));
  return written.join('');
}

test('D-07: what is white at the end is left out, wherever the stream is cut; what is white before it stays', () => {
  expect(heard([' a\n', '\n \t', '\r\n', 'b ', ' \n', '\n'])).toBe(' a\n\n \t\r\nb');
  expect(heard(['\n', '  '])).toBe('');
});

test('D-07: an output of white bytes without end is not held in memory', () => {
  const part = '\n'.repeat(64 * 1024);
  const written = heard(Array.from({ length: 80 }, () => part));
  expect(written.length).toBeGreaterThan(3 * 1024 * 1024);
});

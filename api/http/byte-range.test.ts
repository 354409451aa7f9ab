import { expect, test } from 'vitest';
import { byteRange } from '#api/http/byte-range.ts';

test.each([
  [undefined, 'whole'],
  ['bytes=0-', { start: 0, length: 10 }],
  ['bytes=4-', { start: 4, length: 6 }],
  ['bytes=4-5', { start: 4, length: 2 }],
  ['bytes=4-99', { start: 4, length: 6 }],
  ['bytes=-3', { start: 7, length: 3 }],
  ['bytes=-99', { start: 0, length: 10 }],
  ['bytes=10-', 'outside'],
  ['bytes=-0', 'outside'],
  ['bytes=5-4', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=0-1,3-4', 'whole'],
  ['lines=1-2', 'whole'],
])('of ten bytes, "%s" asks for %o', (header, expected) => {
  expect(byteRange(header, 10)).toEqual(expected);
});

import { expect, test } from 'vitest';

import { itemsOf, listLimits } from '#core/run/list-items.ts';

const bad = (text: string) => {
  const found = itemsOf(text);
  return found.kind === 'bad' ? found.reason : found.items;
};

test('a list is a JSON array; numbers are texts and objects are JSON', () => {
  expect(itemsOf('["a b", 2, true, {"id": 7}]')).toEqual({ kind: 'items', items: ['a b', '2', 'true', '{"id":7}'] });
  expect(itemsOf(' []\n')).toEqual({ kind: 'items', items: [] });
});

test('any other text is its lines, without empty ones; lines in brackets are lines', () => {
  expect(itemsOf('one\r\n\n  two \nthree')).toEqual({ kind: 'items', items: ['one', 'two', 'three'] });
  expect(itemsOf('[x] done\n[ ] open')).toEqual({ kind: 'items', items: ['[x] done', '[ ] open'] });
  expect(itemsOf('')).toEqual({ kind: 'items', items: [] });
});

test('a code fence around the whole list is taken off', () => {
  expect(itemsOf('```json\n["a"]\n```')).toEqual({ kind: 'items', items: ['a'] });
});

test('what is no list is told, and never taken for lines', () => {
  expect(bad('["a", ]')).toMatch(/^it is in brackets but no JSON array/);
  expect(bad('["a", null]')).toBe('item 2 is null');
  expect(bad('[["a"]]')).toBe('item 1 is a list');
});

test('a list has limits: items, the size of one, the size of all', () => {
  expect(bad('x\n'.repeat(listLimits.items + 1))).toBe('it has 1001 items; 1000 at most');
  expect(bad(`ok\n${'x'.repeat(listLimits.itemCharacters + 1)}`)).toBe('item 2 has more than 8 KiB');
  expect(bad(`${'x'.repeat(8000)}\n`.repeat(33))).toBe('its items have more than 256 KiB together');
  expect(itemsOf('x\n'.repeat(listLimits.items))).toMatchObject({ kind: 'items' });
});

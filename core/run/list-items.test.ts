import { expect, test } from 'vitest';

import { fieldsOfItem, itemsOf, listLimits } from '#core/run/list-items.ts';

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

test('words: what stands between spaces, commas, semicolons and bars, held together by double quotes', () => {
  const words = (text: string) => itemsOf(text, 'words');
  expect(words('a  b,c;d|e\n\t"two words" f="g h"')).toEqual({
    kind: 'items',
    items: ['a', 'b', 'c', 'd', 'e', 'two words', 'f=g h'],
  });
  expect(words('["a b", "c"]')).toEqual({ kind: 'items', items: ['a b', 'c'] });
  expect(words('{"path": "a b", "n": 2}')).toEqual({ kind: 'items', items: ['{"path": "a b", "n": 2}'] });
  expect(words(' ')).toEqual({ kind: 'items', items: [] });
});

test('the fields of an item are texts; what is no object has none', () => {
  expect(fieldsOfItem('{"a": "x", "b": 2, "c": true, "d": {"e": [1]}}')).toEqual({
    a: 'x',
    b: '2',
    c: 'true',
    d: '{"e":[1]}',
  });
  expect(['text', '{no json', '["a"]'].map((item) => fieldsOfItem(item))).toEqual([undefined, undefined, undefined]);
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

test('lists within lists by the hundred thousand make no reader throw', () => {
  const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  expect(itemsOf(`{"a":${nested}}`, 'words')).toMatchObject({ kind: 'bad' });
  expect(bad(`[{"a":${nested}}]`)).toBe('item 1 is nested too deep');
  expect(fieldsOfItem(`{"a":${'['.repeat(4000)}${']'.repeat(4000)}}`)).toBeDefined();
});

import { expect, test } from 'vitest';
import { namedOutput } from '#activities/named-output.ts';

function valueIn(text: string, path: string): Promise<string> {
  const of = { sha256: 'x', bytes: Buffer.byteLength(text), excerpt: '' };
  return namedOutput({ readText: async () => text }, { of, path });
}

test('an output by name is a value of the whole text, or of its one fenced block', async () => {
  expect(await valueIn('{"a":{"b":[1,{"c":"x"}]}}', 'a.b.1.c')).toBe('x');
  expect(await valueIn('Done:\n```json\n{"a":{"b":1}}\n```  \nBye', 'a')).toBe('{"b":1}');
  expect(await valueIn('```\n{"a":1}\n```\n```\n{"a":2}\n```', 'a')).toBe('');
  for (const path of ['__proto__', 'constructor.name', 'toString', 'a.length']) {
    expect(await valueIn('{"a":"x"}', path)).toBe('');
  }
  expect(await valueIn('{"__proto__":{"x":"own"}}', '__proto__.x')).toBe('own');
});

test('hostile outputs are empty, and cost no more than reading them', async () => {
  const begun = performance.now();
  for (const line of ['```json\n', '```\n```z\n', '```json\n```\n', '\n', '{']) {
    expect(await valueIn(line.repeat(Math.floor((4 * 1024 * 1024) / line.length)), 'a')).toBe('');
  }
  expect(await valueIn(`{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, 'a')).toBe('');
  expect(performance.now() - begun).toBeLessThan(10_000);
});

import { describe, expect, test } from 'vitest';

import { rules } from '#core/doctor/registry.ts';
import { examineText } from '#dialects/examine-text.ts';

/** Ids of the rules that find something in a native definition. */
function foundIn(text: string): string[] {
  const examined = examineText({ text });
  if (examined.kind === 'issues') throw new TypeError(`${JSON.stringify(examined.issues)}\n${text}`);
  return examined.findings.map(({ rule }) => rule);
}

describe('every rule is shown by its own example', () => {
  test.each(rules.map((rule) => [rule.id, rule] as const))('%s', (id, { example }) => {
    expect(foundIn(example.wrong)).toContain(id);
    expect(foundIn(example.right)).toEqual([]);
  });
});

test('ids are unique, and each rule says what to do', () => {
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  for (const { id, title, why, remedy } of rules) {
    expect(id).toMatch(/^(?:loop|check|pattern|review|limit|workspace|command)\/[a-z-]+$/);
    for (const text of [title, why, remedy]) expect(text).toMatch(/\S\.$|`\.$|\.$/);
  }
});

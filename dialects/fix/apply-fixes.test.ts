import { describe, expect, test } from 'vitest';

import { applyFixes } from '#dialects/fix/apply-fixes.ts';

function mended(text: string): string {
  const fixed = applyFixes({ text });
  expect(applyFixes({ text: fixed.text })).toEqual({ text: fixed.text, mended: [] });
  return fixed.text;
}

const kept = 'workspace: { setup: npm ci, protect: ["test/**"] }\n';

describe('--fix: mends that change nothing but what they are about', () => {
  test.each([
    ['what hides the exit code is dropped, its comment stays', '  - npm test || true # ours', '  - npm test # ours'],
    ['a pipe that only shows', '  - npm test 2>&1 | tail -n 40', '  - npm test 2>&1'],
    ['quotes stay', '  - "make lint || echo \'bad\'"', '  - "make lint"'],
    ['a flag', '  - npx vitest run --passWithNoTests', '  - npx vitest run'],
    ['what says something says it only after what passed', '  - make lint; echo done', '  - make lint && echo done'],
    ['in a mapping', '  - { name: t, run: npm test || true }', '  - { name: t, run: npm test }'],
    ['curl', '  - curl -s http://localhost/x', '  - curl -f -s http://localhost/x'],
    [
      'a negated grep in a mapping of its own lines',
      '  - name: todo\n    run: "! grep -rn TODO src"',
      '  - name: todo\n    run: "grep -rn TODO src"\n    expect: { exit: 1 }',
    ],
    [
      'in a block text',
      '  - run: |\n      # lint\n      make lint || true',
      '  - run: |\n      # lint\n      make lint',
    ],
  ])('%s', (_what, check, wanted) => {
    const around = (line: string) => `task: Mend it.\nagent: codex\nchecks:\n${line}\n${kept}`;
    expect(mended(around(check))).toBe(around(wanted));
  });

  test('a script is protected: in a list that is there, in a mapping that is there, at the end of the file', () => {
    const start = 'task: Mend it.\nagent: codex\nchecks: [./verify.sh]\n';
    expect(mended(start)).toBe(`${start}workspace: { protect: ["verify.sh"] }\n`);
    expect(mended(`${start}workspace: { base: main }\n`)).toBe(
      `${start}workspace: { base: main, protect: ["verify.sh"] }\n`,
    );
    expect(mended(`${start}workspace:\n  base: main # of ours\n`)).toBe(
      `${start}workspace:\n  protect: ["verify.sh"]\n  base: main # of ours\n`,
    );
    expect(mended(`${start}workspace:\n  protect:\n    - a.txt\n`)).toBe(
      `${start}workspace:\n  protect:\n    - a.txt\n    - "verify.sh"\n`,
    );
    expect(mended('{"task": "Mend it.", "agent": "codex", "checks": ["./verify.sh"]}')).toBe(
      '{"task": "Mend it.", "agent": "codex", "checks": ["./verify.sh"], "workspace": { "protect": ["verify.sh"] }}',
    );
  });

  test('a definition that is invalid, or has nothing mechanical, stays as it is', () => {
    for (const text of ['agnet: codex\n', `task: Mend it.\nagent: codex\nchecks: [npm test]\n${kept}`]) {
      expect(applyFixes({ text })).toEqual({ text, mended: [] });
    }
  });
});

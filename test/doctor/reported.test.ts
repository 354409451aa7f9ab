import { expect, test } from 'vitest';

import { examineText } from '#dialects/examine-text.ts';

function rulesIn(text: string): string[] {
  const examined = examineText({ text });
  if (examined.kind === 'plan') return examined.findings.map(({ rule }) => rule);
  throw new TypeError(examined.issues.map(({ message }) => message).join('; '));
}

const work = 'steps:\n  work: { agent: codex, prompt: Mend the parser. Leave the tests alone. }\n';

test('A6, R001: the pass pattern is in the prompt of an agent that prints all it reads', () => {
  const review = (agent: string) =>
    `${work}  review: { agent: ${agent}, readOnly: true, after: work, loop: { to: work, limit: 2 }, pass: 'VERDICT:\\s*APPROVE', prompt: "Review. End with VERDICT: APPROVE or VERDICT: CHANGES_REQUESTED." }\n`;
  expect(rulesIn(review('aider'))).toEqual(['pattern/matches-prompt']);
  expect(rulesIn(review('claude'))).toEqual([]);
});

test('B9, R005: a suite without tests and a script that is not there are both named; evidence settles the first', () => {
  const checks = (evidence: string) =>
    `task: Mend it. Leave the tests alone.\nagent: codex\nchecks:\n  - { run: node --test${evidence} }\n  - npm run lint --if-present\nworkspace: { setup: npm ci }\n`;
  expect(rulesIn(checks(''))).toEqual(['check/passes-on-nothing', 'check/passes-on-nothing']);
  expect(rulesIn(checks(', evidence: { tests: ">=1" }'))).toEqual(['check/passes-on-nothing']);
});

test('R007: a check lacks its set-up in a fresh worktree; in the checkout itself, or with what it needs, it does not', () => {
  const plan = (workspace: string) => `task: Mend it.\nagent: codex\nchecks: [node test.js]\nworkspace: ${workspace}\n`;
  expect(rulesIn(plan('{ protect: [test.js] }'))).toEqual(['workspace/no-setup']);
  expect(rulesIn(plan('{ protect: [test.js], setup: npm ci }'))).toEqual([]);
});

test('R037: folded text with several commands; deeper lines stay lines, and so do redirects on the next line', () => {
  const check = (lines: string) => `${work}  check:\n    run: >-\n${lines}    after: work\n    loop: { to: work }\n`;
  expect(rulesIn(check('      echo lint\n      make test\n'))).toEqual(['check/folded-commands']);
  expect(rulesIn(check('      make lint\n        make test\n'))).toEqual([]);
  expect(rulesIn(check('      make test\n      > out/test.log 2>&1\n'))).toEqual([]);
});

test('B7: a worklist of its own asks for a hard check beside it', () => {
  const plan = (more: string) =>
    `task: Work through TODO.md.\nagent: codex\nchecks:\n  - report: { worklist: true }\n${more}`;
  expect(rulesIn(plan(''))).toEqual(['check/self-reported']);
  expect(rulesIn(plan('  - make lint\n'))).toEqual([]);
});

test('what is written beside tests that hides their result', () => {
  const plan = (command: string) =>
    `task: Mend it. Leave the tests alone.\nagent: codex\nchecks:\n  - ${JSON.stringify(command)}\n`;
  expect(rulesIn(plan('pytest -q 2>/dev/null || echo "nothing configured"'))).toEqual(['check/cannot-fail']);
  expect(rulesIn(plan('ruff check src/ 2>/dev/null || ruff check .'))).toEqual([]);
});

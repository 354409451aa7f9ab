import { expect, test } from 'vitest';

import { checkNamed, noOptions, optionIssues, parseDecision, parsePasses } from '#core/simulate/options.ts';

import { commandCheck, personWork, plan, step } from '../../test/fakes/plans.ts';

const made = plan([
  step('work', { checks: [commandCheck('npm test'), commandCheck('a@b')] }),
  step('ready', { after: ['work'], work: personWork() }),
]);

test.each([
  ['tests@2', { name: 'tests', passes: [2] }],
  ['npm test@1,3', { name: 'npm test', passes: [1, 3] }],
  ['a@b@1', { name: 'a@b', passes: [1] }],
  ['tests', undefined],
  ['tests@0', undefined],
  ['tests@x', undefined],
  ['@1', undefined],
])('passes are read from %j', (text, read) => {
  expect(parsePasses(text)).toEqual(read);
});

test.each([
  ['ready=approve', { step: 'ready', kind: 'approve' }],
  ['ready=push_back@2', { step: 'ready', kind: 'push_back', revision: 2 }],
  ['ready=maybe', undefined],
  ['ready', undefined],
])('a decision is read from %j', (text, read) => {
  expect(parseDecision(text)).toEqual(read);
});

test('a check is named alone, or with its step', () => {
  expect(checkNamed(made, 'npm test')).toEqual({ check: 'npm test' });
  expect(checkNamed(made, 'work/npm test')).toEqual({ step: 'work', check: 'npm test' });
});

test('what the plan does not have is told with what there is', () => {
  const issues = optionIssues(made, {
    ...noOptions,
    failChecks: [
      { check: 'npm test', pass: 1 },
      { step: 'ready', check: 'npm test', pass: 1 },
    ],
    failSteps: [{ step: 'ready', pass: 1 }],
    decisions: [{ step: 'work', kind: 'approve' }],
  });
  expect(issues).toEqual([
    'There is no check "ready/npm test". Name one of: npm test, a@b.',
    'No step "ready" does any work that could fail. Name one of: work.',
    'No step "work" asks a person. Name one of: ready, @limits.',
  ]);
});

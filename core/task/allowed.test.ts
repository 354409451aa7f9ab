import { expect, test } from 'vitest';

import { mayDecideTask } from '#core/task/allowed.ts';

const ada = { name: 'ada', teams: ['web'], admin: false };
const owner = { name: 'owner', teams: 'all' as const, admin: true };

test.each([
  [ada, { who: [], notAuthor: false }, 'yes'],
  [ada, { who: ['bob', 'ada'], notAuthor: false }, 'yes'],
  [ada, { who: ['team:web'], notAuthor: false }, 'yes'],
  [ada, { who: ['team:ops', 'bob'], notAuthor: false }, 'not-asked'],
  // A person is not a team of that name, nor a team a person.
  [ada, { who: ['web', 'team:ada'], notAuthor: false }, 'not-asked'],
  [owner, { who: ['team:ops'], notAuthor: false }, 'yes'],
  [owner, { who: ['bob'], notAuthor: false }, 'yes'],
  [ada, { who: [], notAuthor: true, createdBy: 'ada' }, 'author'],
  [ada, { who: [], notAuthor: true, createdBy: 'bob' }, 'yes'],
  [ada, { who: [], notAuthor: true }, 'yes'],
  [owner, { who: [], notAuthor: true, createdBy: 'owner' }, 'author'],
] as const)('D5: %j and the policy %j: %s', (principal, policy, allowed) => {
  const { name, teams, admin } = principal;
  expect(mayDecideTask({ name, teams: teams === 'all' ? teams : [...teams], admin }, policy)).toBe(allowed);
});

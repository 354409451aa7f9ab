import type { OnExhausted } from '#core/plan/plan.ts';

/** What follows once a loop has fired as often as it may (C7). */
export const exhausted: Readonly<Record<OnExhausted, string>> = {
  fail: 'the step fails',
  ask: 'a person is asked',
  pause: 'the run pauses until the limit is raised',
  succeed: 'the step counts as passed',
};

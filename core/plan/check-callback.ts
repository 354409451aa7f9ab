import { errorAt, type Issue } from '#core/issue/issue.ts';
import { Callback } from '#core/notify/channel.ts';
import type { Plan } from '#core/plan/plan.ts';

/** A callback names a web address, and where its secret is: a secret that stands in the definition itself is an issue. */
export function checkCallback({ callback }: Pick<Plan, 'callback'>): Issue[] {
  if (callback === undefined) return [];
  const { error } = Callback.safeParse(callback);
  return (error?.issues ?? []).map(({ path, message }) =>
    errorAt(['callback', ...path].join('.'), 'definition/wrong-type', message),
  );
}

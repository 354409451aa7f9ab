import { judgeAny, judgePatterns } from '#core/check/match-rule.ts';
import type { MatchPlan } from '#core/plan/plan.ts';
import type { MatchOutcome } from '#core/run/attempt-result.ts';
import type { MatchOptions } from '#infra/process/match-worker.ts';
import { matchPattern } from '#infra/process/match-worker.ts';

/** A6 on a text: the patterns run in a thread that can be killed, `core` holds the rule. */
export async function matchText({ pass, fail }: MatchPlan, text: string): Promise<MatchOutcome> {
  const tried = async (pattern: string) => ({ pattern, outcome: await matchPattern(pattern, text) });
  return judgePatterns({
    ...(fail === undefined ? {} : { fail: await tried(fail) }),
    ...(pass === undefined ? {} : { pass: await tried(pass) }),
    empty: text.trim() === '',
  });
}

/** Whether one of the patterns is in the text; letters match in either case unless `caseSensitive`. All of them are tried, so that one that took too long does not hide another. */
export async function matchAny(
  patterns: readonly string[],
  text: string,
  options: MatchOptions = {},
): Promise<MatchOutcome> {
  const tried = [];
  for (const pattern of patterns) tried.push({ pattern, outcome: await matchPattern(pattern, text, options) });
  return judgeAny(tried);
}

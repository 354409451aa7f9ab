import { errorAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { patternProblem } from '#core/plan/pattern.ts';
import type { ContinueOn, MatchPlan } from '#core/plan/plan.ts';

/** Adds an issue for each pattern of `match` that is empty, foreign or invalid (A6, V-10). */
export function checkPatterns(compiling: Compiling, path: string, owner: string, match: MatchPlan): void {
  for (const key of ['pass', 'fail'] as const) {
    const pattern = match[key];
    const problem = pattern === undefined ? undefined : patternProblem(pattern, owner);
    if (problem !== undefined) compiling.issues.push(errorAt(`${path}.${key}`, problem.code, problem.message));
  }
}

export function checkContinueOn(compiling: Compiling, path: string, owner: string, { matches = [] }: ContinueOn): void {
  for (const [index, pattern] of matches.entries()) {
    const problem = patternProblem(pattern, owner);
    if (problem === undefined) continue;
    compiling.issues.push(errorAt(`${path}.continueOn.matches.${index}`, problem.code, problem.message));
  }
}

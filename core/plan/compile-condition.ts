import type { Condition } from '#core/check/condition.ts';
import type { StepDefinition } from '#core/definition/definition.ts';
import { errorAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { patternProblem } from '#core/plan/pattern.ts';

/** Adds an issue when what a condition compares with is no pattern, though it is to be one. */
export function checkCondition(compiling: Compiling, path: string, condition: Condition): void {
  if (condition.caseSensitive !== undefined && condition.by !== 'pattern') {
    const message = '`caseSensitive` is about the letters of a pattern; write `by: pattern`, or remove it';
    compiling.issues.push(errorAt(`${path}.caseSensitive`, 'definition/conflict', message));
  }
  if (condition.by === undefined) return;
  if (condition.compare === 'exitCode' || condition.compare === 'auto') {
    const message = `\`by: ${condition.by}\` reads a text; write \`compare: stdout\` or \`compare: stderr\``;
    compiling.issues.push(errorAt(`${path}.by`, 'definition/conflict', message));
  }
  const problem = condition.by === 'pattern' ? patternProblem(condition.returns, 'A condition') : undefined;
  if (problem !== undefined) compiling.issues.push(errorAt(`${path}.returns`, problem.code, problem.message));
}

export function checkWhen(compiling: Compiling, path: string, when: StepDefinition['when']): void {
  if (when === undefined) return;
  checkCondition(compiling, `${path}.when`, when.condition);
  for (const [index, condition] of (when.and ?? []).entries()) {
    checkCondition(compiling, `${path}.when.and.${index}`, condition);
  }
}

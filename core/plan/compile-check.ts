import type { CheckPlan, CheckPlanOf } from '#core/check/check-plan.ts';
import type { CheckDefinition, StepDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { unreachable } from '#core/exhaustive.ts';
import { errorAt } from '#core/issue/issue.ts';
import { checkReport, compileReviewer } from '#core/plan/compile-opinion.ts';
import { checkPatterns } from '#core/plan/compile-patterns.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { checkPath, isUpstream, reportUnknownStep } from '#core/plan/compiling.ts';

/** The checks of a step in written order (B2), each with a name of its own. */
export function compileChecks(compiling: Compiling, step: StepDefinition): CheckPlan[] {
  const names = new Set(step.checks.flatMap((check) => check.name ?? []));
  const taken = new Set<string>();
  return step.checks.map((check, index) => {
    const path = `steps.${step.id}.checks.${index}`;
    const name = check.name ?? freeName(check, names, taken);
    if (taken.has(name)) {
      const message = `step \`${step.id}\` has two checks named \`${name}\`; give each its own \`name\``;
      compiling.issues.push(errorAt(check.name === undefined ? path : `${path}.name`, 'check/duplicate-name', message));
    }
    taken.add(name);
    checkTime(compiling, path, check);
    return compileCheck(compiling, step, { check, path, name });
  });
}

const longestName = 80;

/**
 * A command is known by its own text. Two that differ only beyond what a name shows are numbered; the same command
 * twice keeps one name, and so is refused.
 */
function freeName(check: CheckDefinition, written: ReadonlySet<string>, taken: ReadonlySet<string>): string {
  const wanted = check.kind === 'command' ? check.command.trim().replaceAll(/\s+/g, ' ') : check.kind;
  if (check.kind === 'command' && wanted.length <= longestName) return wanted;
  const short = wanted.length > longestName ? `${wanted.slice(0, longestName - 1)}…` : wanted;
  let name = short;
  for (let count = 2; written.has(name) || taken.has(name); count += 1) name = `${short} (${count})`;
  return name;
}

function compileCheck(
  compiling: Compiling,
  step: StepDefinition,
  at: { check: CheckDefinition; path: string; name: string },
): CheckPlan {
  const { check, path, name } = at;
  const needs = check.needs ?? defaultNeeds(step, check);
  const common = { name, needs, timeSeconds: check.timeSeconds ?? defaults.checkTimeSeconds };
  switch (check.kind) {
    case 'command':
      return {
        ...common,
        kind: 'command',
        command: check.command,
        expectExit: check.expectExit ?? 0,
        where: check.where ?? 'workspace',
        ...compileEvidence(compiling, path, check),
      };
    case 'match':
      return compileMatch(compiling, step, { check, path, common });
    case 'schema':
      return {
        ...common,
        kind: 'schema',
        of: sourceOf(compiling, step, check.of, `${path}.schema.of`),
        schema: check.schema,
      };
    case 'review': {
      const { criterion, consecutive = defaults.consecutive } = check;
      return {
        ...common,
        kind: 'review',
        agent: compileReviewer(compiling, step, check, path),
        criterion,
        consecutive,
      };
    }
    case 'report': {
      const { file = defaults.reportFile, wants } = check;
      checkReport(compiling, step, path, { file, wants });
      return { ...common, kind: 'report', file, wants };
    }
    default:
      return unreachable(check);
  }
}

/** B3, B9: what a clean checkout gets, and what a command must give beside its exit code. */
function compileEvidence(
  compiling: Compiling,
  path: string,
  { where, provide, evidence }: Extract<CheckDefinition, { kind: 'command' }>,
): Pick<CheckPlanOf<'command'>, 'provide' | 'evidence'> {
  for (const [index, folder] of (provide ?? []).entries()) checkPath(compiling, `${path}.provide.${index}`, folder);
  if (evidence?.file !== undefined) checkPath(compiling, `${path}.evidence.file`, evidence.file);
  if (provide !== undefined && where !== 'commit') {
    const message =
      '`provide` puts ignored files into a clean checkout, and this check runs in the workspace, which has them; add `where: commit`';
    compiling.issues.push(errorAt(`${path}.provide`, 'definition/conflict', message));
  }
  return {
    ...(provide === undefined ? {} : { provide: [...new Set(provide.map(plainFolder))] }),
    ...(evidence === undefined ? {} : { evidence: { tests: evidence.tests, ...present({ file: evidence.file }) } }),
  };
}

function plainFolder(path: string): string {
  return path.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
}

function compileMatch(
  compiling: Compiling,
  step: StepDefinition,
  at: {
    check: Extract<CheckDefinition, { kind: 'match' }>;
    path: string;
    common: Pick<CheckPlan, 'name' | 'needs' | 'timeSeconds'>;
  },
): CheckPlan {
  const { check, path, common } = at;
  const { pass, fail } = check;
  checkPatterns(compiling, `${path}.match`, `Step "${step.name ?? step.id}", check "${common.name}"`, check);
  if (pass === undefined && fail === undefined) {
    const message = 'a `match` check needs `pass`, `fail` or both';
    compiling.issues.push(errorAt(`${path}.match`, 'definition/missing', message));
  }
  const of = sourceOf(compiling, step, check.of, `${path}.match.of`);
  return { ...common, kind: 'match', of, ...present({ pass, fail }) };
}

/** B2: a reviewer's time is spent only on what the checks before it let through, unless one passing check is enough. */
function defaultNeeds(step: StepDefinition, check: CheckDefinition): CheckPlan['needs'] {
  return check.kind === 'review' && step.mode !== 'any' ? 'passed' : 'always';
}

function sourceOf(compiling: Compiling, step: StepDefinition, of: string | undefined, path: string): string {
  if (of === undefined || of === step.id) return step.id;
  if (!compiling.indexes.has(of)) {
    reportUnknownStep(compiling, path, of);
  } else if (isUpstream(compiling, of, step.id) === false) {
    const message = `\`${of}\` does not surely run before \`${step.id}\`, so its output may not be there; read a step before it`;
    compiling.issues.push(errorAt(path, 'check/not-upstream', message));
  }
  return of;
}

function checkTime(compiling: Compiling, path: string, check: CheckDefinition): void {
  if ((check.timeSeconds ?? 0) <= defaults.longestCheckSeconds) return;
  const message = 'a check may take 30 minutes at most (`30m`); make a longer command a step of its own';
  compiling.issues.push(errorAt(`${path}.time`, 'check/time-too-long', message));
}

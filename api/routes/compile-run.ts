import type { PlanShown, StartRun } from '#core/contract/http.ts';
import { present } from '#core/definition/present.ts';
import { errorAt, type Issue } from '#core/issue/issue.ts';
import type { Library } from '#core/plan/call-graph.ts';
import { kibibytes } from '#core/plan/amounts.ts';
import { checkSize, mostPackedBytes } from '#core/plan/check-size.ts';
import type { Plan } from '#core/plan/plan.ts';
import { packedBytes } from '#infra/temporal/packing-codec.ts';
import { examineDocument } from '#dialects/examine-text.ts';
import { type CompiledDocument, type CompiledText, compileText, compileValue } from '#dialects/parse.ts';
import { ApiProblem } from '#api/http/problem.ts';

/** What a request's definition comes to; `document` is where its parts are written. */
export type CompiledPlan = Omit<CompiledDocument, 'kind' | 'dialect'>;

/**
 * The plan of a request with the warnings about it, or a problem that lists every issue at once (422). `library` holds the
 * stored definitions that it may call.
 */
export function compileRequest(request: StartRun, library: Library = {}): CompiledPlan {
  const compiled = compileGiven(request, library);
  if (compiled.kind === 'issues') throw invalidDefinition(compiled.issues);
  const { warnings, document } = compiled;
  const plan = {
    ...compiled.plan,
    project: request.project ?? compiled.plan.project,
    labels: [...new Set([...compiled.plan.labels, ...(request.labels ?? [])])],
  };
  requireCarried(plan);
  return { plan, warnings, document };
}

/** The plan with the doctor's findings (E-20). */
export function showPlan({ plan, warnings, document }: CompiledPlan): PlanShown {
  return { plan, warnings, ...examineDocument(plan, document) };
}

/** Refuses (422) a plan that the engine could not carry through a whole run. */
export function requireCarried(plan: Plan): void {
  const large = [...checkSize(plan), ...checkPacked(plan)];
  if (large.length > 0) throw invalidDefinition(large);
}

/** A plan that does not pack well, such as one of encoded data, weighs more than its text says. */
function checkPacked(plan: Plan): Issue[] {
  const json = JSON.stringify(plan);
  if (json.length <= mostPackedBytes) return [];
  const bytes = packedBytes(json);
  if (bytes <= mostPackedBytes) return [];
  const message = `the plan weighs ${kibibytes(bytes)} packed; at most ${kibibytes(mostPackedBytes)} can be carried: move long texts and encoded data into files of the repository`;
  return [errorAt('', 'definition/too-large', message)];
}

function compileGiven({ definition, source, file, dialect, overrides }: StartRun, library: Library): CompiledText {
  const given = { ...present({ file, dialect, overrides }), library };
  if (source !== undefined && definition === undefined) return compileText({ text: source, ...given });
  if (definition !== undefined && source === undefined) return compileValue(definition, given);
  throw new ApiProblem('http/bad-request', {
    detail:
      'A run needs exactly one of `source` (the text of a definition), `definition` (an object) and `name` (of a stored one).',
    remedy: 'Send one of them.',
  });
}

export function invalidDefinition(issues: Issue[]): ApiProblem {
  const first = issues[0];
  const rest = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new ApiProblem('definition/invalid', {
    detail: `${[first?.path, first?.message].filter(Boolean).join(': ')}${rest}`,
    remedy: 'Correct what `issues` lists; nothing was started.',
    issues,
  });
}

import { unreachable } from '#core/exhaustive.ts';
import type { Issue } from '#core/issue/issue.ts';
import { errorAt } from '#core/issue/issue.ts';
import { didYouMean } from '#core/issue/nearest.ts';
import { kibibytes } from '#core/plan/amounts.ts';
import { mostInputBytes } from '#core/plan/check-size.ts';
import type { InputPlan, Plan } from '#core/plan/plan.ts';
import { utf8Bytes } from '#core/text/utf8-bytes.ts';

export type ResolvedInputs = { kind: 'inputs'; inputs: Record<string, string> } | { kind: 'issues'; issues: Issue[] };

/**
 * What a run is given, against what its plan declares: defaults filled, all as text. Every issue at once: a required
 * input missing, an unknown one, a wrong type, more of them than a run carries. An optional input without default that was not given is left out.
 */
export function resolveInputs(
  plan: Pick<Plan, 'inputs'>,
  given: Readonly<Record<string, string | number | boolean>>,
): ResolvedInputs {
  const issues: Issue[] = [];
  const inputs: [string, string][] = [];
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(plan.inputs, name)) continue;
    const hint = didYouMean(name, Object.keys(plan.inputs));
    issues.push(errorAt(`inputs.${name}`, 'input/unknown', `the definition declares no input \`${name}\`${hint}`));
  }
  for (const [name, input] of Object.entries(plan.inputs)) {
    const value = Object.hasOwn(given, name) ? String(given[name]) : input.default;
    if (value === undefined) {
      if (!input.required) continue;
      const message = `input \`${name}\` is required; give it with \`--input ${name}=…\``;
      issues.push(errorAt(`inputs.${name}`, 'input/missing', message));
    } else if (fitsType(value, input.type)) {
      inputs.push([name, value]);
    } else {
      const message = `input \`${name}\` takes a ${input.type}, not \`${value.slice(0, 80)}\``;
      issues.push(errorAt(`inputs.${name}`, 'input/wrong-type', message));
    }
  }
  issues.push(...tooLarge(inputs));
  if (issues.length > 0) return { kind: 'issues', issues };
  return { kind: 'inputs', inputs: Object.fromEntries(inputs) };
}

function tooLarge(inputs: readonly (readonly [string, string])[]): Issue[] {
  const bytes = inputs.map(([, value]) => utf8Bytes(JSON.stringify(value)));
  const all = bytes.reduce((sum, each) => sum + each, 0);
  if (all <= mostInputBytes) return [];
  const largest = Math.max(...bytes);
  const [name] = inputs[bytes.indexOf(largest)] ?? [''];
  const message = `the inputs have ${kibibytes(all)} together, \`${name}\` the most of it; a run carries at most ${kibibytes(mostInputBytes)}: put the text into a file of the repository, and give its path`;
  return [errorAt(`inputs.${name}`, 'input/too-large', message)];
}

/** Whether the text of an input is one of its type: numbers as JSON writes them, booleans as `true` or `false`. */
export function fitsType(value: string, type: InputPlan['type']): boolean {
  switch (type) {
    case 'string':
      return true;
    case 'number':
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value);
    case 'boolean':
      return value === 'true' || value === 'false';
    default:
      return unreachable(type);
  }
}

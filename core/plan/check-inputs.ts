import { errorAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { isPlainName, nameRule, reportUnknownStep } from '#core/plan/compiling.ts';
import { fitsType } from '#core/plan/inputs.ts';
import type { Plan } from '#core/plan/plan.ts';

/** What a parent run may read by name: each is the output of a step. */
export function checkOutputs(compiling: Compiling): void {
  for (const [name, step] of Object.entries(compiling.definition.outputs ?? {})) {
    const path = `outputs.${name}`;
    if (!isPlainName(name)) {
      compiling.issues.push(
        errorAt(path, 'output/bad-name', `\`${name}\` cannot be the name of an output; ${nameRule}`),
      );
    }
    if (!compiling.indexes.has(step)) reportUnknownStep(compiling, path, step);
  }
}

/** Names and defaults of the declared inputs. */
export function checkInputs(compiling: Compiling, plan: Plan): void {
  for (const [name, input] of Object.entries(plan.inputs)) {
    const path = `inputs.${name}`;
    if (!isPlainName(name)) {
      compiling.issues.push(errorAt(path, 'input/bad-name', `\`${name}\` cannot be the name of an input; ${nameRule}`));
    }
    if (input.default !== undefined && !fitsType(input.default, input.type)) {
      const message = `the default \`${input.default}\` of input \`${name}\` is no ${input.type}`;
      compiling.issues.push(errorAt(`${path}.default`, 'input/bad-default', message));
    }
  }
}

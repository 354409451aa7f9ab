import { errorAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { isPlainName } from '#core/plan/compiling.ts';
import { fitsType } from '#core/plan/inputs.ts';
import type { Plan } from '#core/plan/plan.ts';

/** Names and defaults of the declared inputs. */
export function checkInputs(compiling: Compiling, plan: Plan): void {
  for (const [name, input] of Object.entries(plan.inputs)) {
    const path = `inputs.${name}`;
    if (!isPlainName(name)) {
      const rule = 'use letters, digits, `-` and `_`, starting with a letter, at most 64 characters';
      compiling.issues.push(errorAt(path, 'input/bad-name', `\`${name}\` cannot be the name of an input; ${rule}`));
    }
    if (input.default !== undefined && !fitsType(input.default, input.type)) {
      const message = `the default \`${input.default}\` of input \`${name}\` is no ${input.type}`;
      compiling.issues.push(errorAt(`${path}.default`, 'input/bad-default', message));
    }
  }
}

import type { StepDefinition } from '#core/definition/definition.ts';
import { errorAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { checkPath, isPlainName, nameRule } from '#core/plan/compiling.ts';

/** Where the output of a step goes: only a process has streams, and files need the run's folder. */
export function checkOutput(compiling: Compiling, path: string, { output, work }: StepDefinition): void {
  if (output === undefined) return;
  if (work.kind === 'person' || work.kind === 'call') {
    const message = `\`output\` belongs to an \`agent\` or \`run\` step; remove it`;
    compiling.issues.push(errorAt(`${path}.output`, 'definition/conflict', message));
  }
  for (const key of ['artifact', 'errorsArtifact'] as const) {
    const file = output[key];
    if (file === undefined) continue;
    checkPath(compiling, `${path}.output.${key}`, file);
    if (compiling.definition.artifacts === true) continue;
    const message = 'the run has no folder of artifacts to write it into; add `artifacts: true` to the definition';
    compiling.issues.push(errorAt(`${path}.output.${key}`, 'definition/missing', message));
  }
}

const jsonPath = /^[\w-]+(?:\.[\w-]+)*$/;

/** A person's outputs are the fields of the form; of any other step they are values of its output. */
export function checkNamedOutputs(compiling: Compiling, path: string, { outputs, work }: StepDefinition): void {
  if (outputs === undefined) return;
  if (work.kind === 'person' || work.kind === 'call') {
    const own = work.kind === 'person' ? 'the fields of its form' : 'those of the definition that it calls';
    const message = `the outputs of a \`${work.kind}\` step are ${own}; remove \`outputs\``;
    compiling.issues.push(errorAt(`${path}.outputs`, 'definition/conflict', message));
    return;
  }
  for (const [name, value] of Object.entries(outputs)) {
    const at = `${path}.outputs.${name}`;
    if (!isPlainName(name)) compiling.issues.push(errorAt(at, 'output/bad-name', `\`${name}\`: ${nameRule}`));
    if (jsonPath.test(value)) continue;
    const message = `\`${value.slice(0, 80)}\` is no path of a JSON value; write keys and indexes with dots, such as \`result.items.0\``;
    compiling.issues.push(errorAt(at, 'output/bad-path', message));
  }
}

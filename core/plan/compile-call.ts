import type { CallDefinition, StepDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { errorAt, warningAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { suggest } from '#core/plan/compiling.ts';
import { fitsType } from '#core/plan/inputs.ts';
import type { CallPlan, InputPlan } from '#core/plan/plan.ts';

/** A call with its default; the definition that it names must be known, and be given what it asks for. */
export function compileCall(compiling: Compiling, step: StepDefinition, call: CallDefinition): CallPlan {
  const path = `steps.${step.id}`;
  const inputs = call.inputs ?? {};
  const callee = compiling.callee.callees.get(call.definition);
  if (callee === undefined) reportUnknown(compiling, path, call.definition);
  else checkGiven(compiling, path, { name: call.definition, declared: callee.definition.inputs ?? {}, given: inputs });
  if (step.readOnly !== undefined) {
    const message = `a call works in a workspace of its own; write \`readOnly\` into the steps of \`${call.definition}\``;
    compiling.issues.push(errorAt(`${path}.readOnly`, 'definition/conflict', message));
  }
  if (Array.isArray(step.retry?.on)) {
    const message = 'a child run has no exit code; write `on: notVerdict` to start it again when it did not succeed';
    compiling.issues.push(errorAt(`${path}.retry.on`, 'definition/conflict', message));
  }
  const { each } = call;
  return {
    kind: 'call',
    definition: call.definition,
    inputs,
    ...present({ each: each === undefined ? undefined : { ...each, max: each.max ?? defaults.callsAtOnce } }),
  };
}

function reportUnknown(compiling: Compiling, path: string, name: string): void {
  const hint = suggest(compiling.issues, name, compiling.callable());
  if (compiling.unknownCalls === 'warning') {
    const message = `\`${name}\` is not written in this file; the server looks it up among its stored definitions when the run starts${hint}`;
    compiling.issues.push(warningAt(`${path}.call`, 'call/unknown-definition', message));
    return;
  }
  const remedy = hint || '; write it under `definitions`, or store it with `setpoint definitions put`';
  const message = `there is no definition \`${name}\`${remedy}`;
  compiling.issues.push(errorAt(`${path}.call`, 'call/unknown-definition', message));
}

interface Given {
  /** Of the definition that is called. */
  name: string;
  declared: Readonly<Record<string, InputPlan>>;
  given: Readonly<Record<string, string>>;
}

function checkGiven(compiling: Compiling, path: string, { name, declared, given }: Given): void {
  for (const [input, value] of Object.entries(given)) {
    const plan = Object.hasOwn(declared, input) ? declared[input] : undefined;
    const at = `${path}.call.inputs.${input}`;
    if (plan === undefined) {
      const hint = suggest(compiling.issues, input, Object.keys(declared)) || '; declare it there under `inputs`';
      const message = `\`${name}\` has no input \`${input}\`${hint}`;
      compiling.issues.push(errorAt(at, 'call/unknown-input', message));
    } else if (!value.includes('{{') && !fitsType(value, plan.type)) {
      const message = `input \`${input}\` of \`${name}\` takes a ${plan.type}, not \`${value.slice(0, 80)}\``;
      compiling.issues.push(errorAt(at, 'input/wrong-type', message));
    }
  }
  for (const [input, plan] of Object.entries(declared)) {
    if (!plan.required || plan.default !== undefined || Object.hasOwn(given, input)) continue;
    const message = `\`${name}\` requires the input \`${input}\`; write it under \`call.inputs\``;
    compiling.issues.push(errorAt(`${path}.call`, 'call/missing-input', message));
  }
}

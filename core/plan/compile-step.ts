import type { StepDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { unreachable } from '#core/exhaustive.ts';
import { errorAt } from '#core/issue/issue.ts';
import { compileAgent } from '#core/plan/compile-agent.ts';
import { compileCall } from '#core/plan/compile-call.ts';
import { compileChecks } from '#core/plan/compile-check.ts';
import { compileLoop } from '#core/plan/compile-loop.ts';
import { compilePerson } from '#core/plan/compile-person.ts';
import { checkContinueOn } from '#core/plan/compile-patterns.ts';
import { checkPatterns } from '#core/plan/compile-patterns.ts';
import { checkNamedOutputs, checkOutput } from '#core/plan/compile-output.ts';
import { checkWhen } from '#core/plan/compile-condition.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { checkPath } from '#core/plan/compiling.ts';
import type { StepPlan, Work } from '#core/plan/plan.ts';

/** One step with its defaults filled; what is wrong with it is added to the issues. */
export function compileStep(compiling: Compiling, step: StepDefinition): StepPlan {
  const path = `steps.${step.id}`;
  const name = step.name ?? step.id;
  checkPatterns(compiling, path, `Step "${name}"`, step.match ?? {});
  checkContinueOn(compiling, path, `Step "${name}"`, step.continueOn ?? {});
  checkEnvironment(compiling, path, step);
  checkWhen(compiling, path, step.when);
  checkOutput(compiling, path, step);
  checkNamedOutputs(compiling, path, step);
  const { match, env, loop, when, continueOn, skipsDependents, directory, output, outputs } = step;
  if (directory !== undefined) checkPath(compiling, `${path}.directory`, directory);
  return {
    id: step.id,
    name,
    after: [...new Set(step.after)],
    work: compileWork(compiling, path, step),
    checks: compileChecks(compiling, step),
    retry: { ...defaults.retry, ...present(step.retry ?? {}) },
    secrets: [...new Set(step.secrets)],
    timeSeconds: step.timeSeconds ?? defaultTime(compiling, step),
    ...stepDefaults,
    ...present({ readOnly: step.readOnly, mode: step.mode, continueOnError: step.continueOnError, match, env }),
    ...present({ continueOn, skipsDependents, directory, output, outputs }),
    ...(when === undefined ? {} : { when: { ...whenDefaults, ...present(when) } }),
    ...(loop === undefined ? {} : { loop: compileLoop(compiling, step, loop) }),
  };
}

const stepDefaults = { readOnly: false, mode: 'all', continueOnError: false, env: {} } as const;
const whenDefaults = { onUnmet: 'skip', onError: 'pause', once: true } as const;

function defaultTime(compiling: Compiling, { work }: StepDefinition): number {
  switch (work.kind) {
    case 'agent':
      return defaults.agentTimeSeconds;
    case 'run':
      return defaults.commandTimeSeconds;
    case 'call': {
      const { timeSeconds = defaults.timeSeconds } = compiling.definition.limits ?? {};
      return timeSeconds ?? defaults.longestWaitSeconds;
    }
    case 'person':
      return defaults.longestWaitSeconds;
    default:
      return unreachable(work);
  }
}

function compileWork(compiling: Compiling, path: string, step: StepDefinition): Work {
  const { work } = step;
  switch (work.kind) {
    case 'run':
      return { kind: 'run', command: work.command };
    case 'agent':
      return { kind: 'agent', agent: compileAgent(compiling, `${path}.agent`, work.agent), prompt: work.prompt };
    case 'person':
      return compilePerson(compiling, step, work);
    case 'call':
      return compileCall(compiling, step, work);
    default:
      return unreachable(work);
  }
}

const variable = /^[A-Za-z_]\w*$/;

function checkEnvironment(compiling: Compiling, path: string, step: StepDefinition): void {
  const env = step.env ?? {};
  const named: [string, string][] = [];
  for (const name of Object.keys(env)) named.push([`${path}.env.${name}`, name]);
  for (const name of step.secrets ?? []) named.push([`${path}.secrets`, name]);
  for (const [where, name] of named) {
    if (!variable.test(name)) {
      const message = `\`${name}\` cannot name an environment variable; use letters, digits and \`_\`, not starting with a digit`;
      compiling.issues.push(errorAt(where, 'env/bad-name', message));
    } else if (name.startsWith('SETPOINT_')) {
      const message = `\`${name}\` belongs to Setpoint; choose a name that does not start with \`SETPOINT_\``;
      compiling.issues.push(errorAt(where, 'env/reserved', message));
    }
  }
  for (const name of step.secrets ?? []) {
    if (!Object.hasOwn(env, name)) continue;
    const message = `\`${name}\` is a secret and stands in clear text under \`env\` too; remove it from \`env\``;
    compiling.issues.push(errorAt(`${path}.env.${name}`, 'secret/also-in-env', message));
  }
}

import type { LoopDefinition, StepDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { errorAt, warningAt } from '#core/issue/issue.ts';
import { compileAgent } from '#core/plan/compile-agent.ts';
import { compileChecks } from '#core/plan/compile-check.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { isUpstream, reportUnknownStep } from '#core/plan/compiling.ts';
import { patternProblem } from '#core/plan/pattern.ts';
import type { LoopPlan, MatchPlan, StepPlan, Work } from '#core/plan/plan.ts';

/** One step with its defaults filled; what is wrong with it is added to the issues. */
export function compileStep(compiling: Compiling, step: StepDefinition): StepPlan {
  const path = `steps.${step.id}`;
  const name = step.name ?? step.id;
  checkPatterns(compiling, path, `Step "${name}"`, step.match ?? {});
  checkEnvironment(compiling, path, step);
  const { match, env, loop, when } = step;
  return {
    id: step.id,
    name,
    after: [...new Set(step.after)],
    work: compileWork(compiling, path, step),
    checks: compileChecks(compiling, step),
    retry: { ...defaults.retry, ...present(step.retry ?? {}) },
    secrets: [...new Set(step.secrets)],
    timeSeconds: step.timeSeconds ?? defaultTime(step),
    ...stepDefaults,
    ...present({ readOnly: step.readOnly, mode: step.mode, continueOnError: step.continueOnError, match, env }),
    ...(when === undefined ? {} : { when: { ...whenDefaults, ...present(when) } }),
    ...(loop === undefined ? {} : { loop: compileLoop(compiling, step, loop) }),
  };
}

const stepDefaults = { readOnly: false, mode: 'all', continueOnError: false, env: {} } as const;
const whenDefaults = { onUnmet: 'skip', onError: 'pause' } as const;

function defaultTime(step: StepDefinition): number {
  return step.work.kind === 'agent' ? defaults.agentTimeSeconds : defaults.commandTimeSeconds;
}

function compileWork(compiling: Compiling, path: string, step: StepDefinition): Work {
  if (step.work.kind === 'run') return { kind: 'run', command: step.work.command };
  const agent = compileAgent(compiling, `${path}.agent`, step.work.agent);
  return { kind: 'agent', agent, prompt: step.work.prompt };
}

function compileLoop(compiling: Compiling, step: StepDefinition, loop: LoopDefinition): LoopPlan {
  const { limits, onExhausted } = compiling.definition;
  const { to = step.id, repeat, limit = (limits?.passes ?? defaults.passes) - 1 } = loop;
  checkTarget(compiling, step, to, loop.anyTarget ?? false);
  warnWithoutSignal(compiling, step, loop);
  const { on, inFlight, onExhausted: ownOnExhausted } = loop;
  return {
    to,
    limit,
    on: repeat === undefined ? 'fail' : 'always',
    wait: { ...defaults.wait, ...present(loop.wait ?? {}) },
    onExhausted: onExhausted ?? 'fail',
    inFlight: 'cancel',
    ...(repeat === undefined ? {} : { repeat: { onError: 'pause', ...present(repeat) } }),
    ...present({ on, inFlight, onExhausted: ownOnExhausted }),
  };
}

function checkTarget(compiling: Compiling, step: StepDefinition, to: string, anyTarget: boolean): void {
  const path = `steps.${step.id}.loop.to`;
  if (!compiling.indexes.has(to)) {
    reportUnknownStep(compiling, path, to);
    return;
  }
  if (to === step.id || isUpstream(compiling, to, step.id) !== false) return;
  const message = `\`${step.id}\` does not come after \`${to}\`, so it cannot send work back to it; loop to itself or to a step before it`;
  compiling.issues.push((anyTarget ? warningAt : errorAt)(path, 'loop/not-upstream', message));
}

/** A command judges itself by its exit code; an agent's exit says only that it has finished. */
function warnWithoutSignal(compiling: Compiling, step: StepDefinition, loop: LoopDefinition): void {
  const judged = step.checks.length > 0 || step.match !== undefined || loop.repeat !== undefined;
  if (judged || step.work.kind === 'run' || (loop.on ?? 'fail') !== 'fail') return;
  const message = `nothing outside the agent judges step \`${step.id}\`, so its loop fires only on a crash; add a check, a pattern or \`verdict: approve\``;
  compiling.issues.push(warningAt(`steps.${step.id}.loop`, 'loop/no-signal', message));
}

/** Adds an issue for each pattern of `match` that is empty, foreign or invalid (A6, V-10). */
export function checkPatterns(compiling: Compiling, path: string, owner: string, match: MatchPlan): void {
  for (const key of ['pass', 'fail'] as const) {
    const pattern = match[key];
    const problem = pattern === undefined ? undefined : patternProblem(pattern, owner);
    if (problem !== undefined) compiling.issues.push(errorAt(`${path}.${key}`, problem.code, problem.message));
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

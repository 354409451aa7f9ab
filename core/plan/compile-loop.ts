import type { LoopDefinition, StepDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { errorAt, warningAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { isUpstream, reportUnknownStep } from '#core/plan/compiling.ts';
import { checkCondition } from '#core/plan/compile-condition.ts';
import type { LoopPlan } from '#core/plan/plan.ts';

/** The loop of a step with its defaults (C1). */
export function compileLoop(compiling: Compiling, step: StepDefinition, loop: LoopDefinition): LoopPlan {
  const { limits, onExhausted } = compiling.definition;
  const { to = step.id, repeat, limit = (limits?.passes ?? defaults.passes) - 1 } = loop;
  checkTarget(compiling, step, to, loop.anyTarget ?? false);
  warnWithoutSignal(compiling, step, loop);
  checkPrompts(compiling, step, to, loop);
  checkRepeat(compiling, step, loop);
  const { on, inFlight, onExhausted: ownOnExhausted, onExhaustedMet, limitJudges, prompts } = loop;
  return {
    to,
    limit,
    on: repeat === undefined ? 'fail' : 'always',
    wait: { ...defaults.wait, ...present(loop.wait ?? {}) },
    onExhausted: onExhausted ?? 'fail',
    inFlight: 'cancel',
    ...(repeat === undefined ? {} : { repeat: { onError: 'pause', ...present(repeat) } }),
    ...present({ on, inFlight, onExhausted: ownOnExhausted, onExhaustedMet, limitJudges, prompts }),
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

function checkRepeat(compiling: Compiling, step: StepDefinition, { repeat, onExhaustedMet }: LoopDefinition): void {
  const path = `steps.${step.id}.loop`;
  if (repeat === undefined) {
    if (onExhaustedMet === undefined) return;
    const message = '`onExhaustedMet` belongs to a loop with a condition; add `until` or `while`, or remove it';
    compiling.issues.push(errorAt(`${path}.onExhaustedMet`, 'definition/conflict', message));
    return;
  }
  const { condition, exitCodes, mode } = repeat;
  if (condition !== undefined) checkCondition(compiling, `${path}.${mode}`, condition);
  if ((condition === undefined) !== (exitCodes === undefined)) return;
  const message = `\`${mode}\` is judged by one of a command and a list of exit codes; keep one`;
  compiling.issues.push(errorAt(`${path}.${mode}`, 'definition/conflict', message));
}

/** Only an agent is asked anything. */
function checkPrompts(compiling: Compiling, step: StepDefinition, to: string, { prompts }: LoopDefinition): void {
  const index = compiling.indexes.get(to);
  const target = index === undefined ? undefined : compiling.definition.steps[index];
  if (prompts === undefined || target === undefined || target.work.kind === 'agent') return;
  const message = `\`${to}\` is no agent, so it is asked nothing; remove \`prompt\`, or loop to the agent's step`;
  compiling.issues.push(errorAt(`steps.${step.id}.loop.prompt`, 'definition/conflict', message));
}

/** A command, a person and a child run judge by themselves; an agent's exit says only that it has finished. */
function warnWithoutSignal(compiling: Compiling, step: StepDefinition, loop: LoopDefinition): void {
  const judged = step.checks.length > 0 || step.match !== undefined || loop.repeat !== undefined;
  if (judged || step.work.kind !== 'agent' || (loop.on ?? 'fail') !== 'fail') return;
  const message = `nothing outside the agent judges step \`${step.id}\`, so its loop fires only on a crash; add a check, a pattern or \`verdict: approve\``;
  compiling.issues.push(warningAt(`steps.${step.id}.loop`, 'loop/no-signal', message));
}

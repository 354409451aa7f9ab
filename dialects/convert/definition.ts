import type { Definition, StepDefinition } from '#core/definition/definition.ts';
import { handlerIds } from '#core/plan/compile-handlers.ts';
import { agentOf, checkOf, optionalTime, retryOf } from '#dialects/convert/parts.ts';
import { outputsOf, stepOf } from '#dialects/convert/step.ts';
import type { Written } from '#dialects/convert/written.ts';
import { mappingOf, noneOr, oneOrMore, shortest, timeOf } from '#dialects/convert/written.ts';

type Keys = Record<string, Written | undefined>;

/**
 * A definition as a mapping of the native form, in the order in which it is best read: short where it is one agent that
 * works until its checks pass, else long. What has its default stays unsaid only where the definition leaves it unsaid.
 */
export function writtenOf(definition: Definition): { [key: string]: Written } {
  const { name, project, labels, onExhausted, baseline, artifacts, keepBetweenRuns, callback, on } = definition;
  const short = shortStep(definition);
  return mappingOf({
    name,
    project,
    labels: oneOrMore(labels),
    inputs: inputsOf(definition),
    ...(short === undefined ? { steps: stepsOf(definition.steps) } : shortKeys(short)),
    handlers: handlersOf(definition),
    limits: limitsOf(definition, short),
    onExhausted,
    workspace: definition.workspace === undefined ? undefined : mappingOf({ ...definition.workspace }),
    baseline,
    deliver: definition.deliver === undefined ? undefined : shortest('mode', { ...definition.deliver }),
    artifacts,
    outputs: outputsOf(definition.outputs),
    keepBetweenRuns: oneOrMore(keepBetweenRuns),
    on: on === undefined ? undefined : mappingOf({ schedule: scheduleOf(on) }),
    callback: callback === undefined ? undefined : mappingOf({ ...callback }),
    definitions: childrenOf(definition),
  });
}

function stepsOf(steps: readonly StepDefinition[]): Written {
  return Object.fromEntries(steps.map((step) => [step.id, stepOf(step)]));
}

/** The one step, when the short form says all of it. */
function shortStep({ steps, limits }: Definition): StepDefinition | undefined {
  const [step] = steps;
  if (step === undefined || steps.length > 1 || !isAgentWithChecks(step)) return undefined;
  return loopsOntoItself(step, limits?.passes) ? step : undefined;
}

function isAgentWithChecks(step: StepDefinition): boolean {
  const { id, work, after, checks } = step;
  if (id !== 'work' || work.kind !== 'agent' || after.length > 0 || checks.length === 0) return false;
  return Object.entries(step).every(([key, value]) => value === undefined || sayable.has(key));
}

/** A limit of the loop is said as that of the passes, unless they have one of their own. */
function loopsOntoItself({ id, loop }: StepDefinition, passes: number | undefined): boolean {
  if (loop === undefined) return false;
  const { to = id, on = 'fail', limit, ...rest } = loop;
  if (to !== id || on !== 'fail' || Object.values(rest).some((value) => value !== undefined)) return false;
  return limit === undefined || (limit !== null && passes === undefined);
}

const sayable = new Set(['id', 'after', 'work', 'checks', 'loop', 'mode', 'retry', 'env', 'secrets', 'timeSeconds']);

function shortKeys({ work, checks, mode, retry, env, secrets, timeSeconds }: StepDefinition): Keys {
  if (work.kind !== 'agent') return {};
  return {
    task: work.prompt,
    agent: agentOf(work.agent, timeSeconds),
    checks: checks.map(checkOf),
    mode,
    retry: retry === undefined ? undefined : retryOf(retry),
    env,
    secrets: oneOrMore(secrets),
  };
}

function limitsOf({ limits = {} }: Definition, short: StepDefinition | undefined): Written | undefined {
  const { passes, timeSeconds, deadlineSeconds, spendUsd, noProgress, feedbackChars } = limits;
  const ofLoop = short?.loop?.limit;
  const keys = mappingOf({
    passes: passes ?? (typeof ofLoop === 'number' ? ofLoop + 1 : undefined),
    time: noneOr(timeSeconds, timeOf),
    deadline: optionalTime(deadlineSeconds),
    spend: spendUsd === undefined ? undefined : `${Number(spendUsd.toFixed(6))} USD`,
    noProgress,
    feedback: feedbackChars,
  });
  return Object.keys(keys).length === 0 ? undefined : keys;
}

function inputsOf({ inputs }: Definition): Written | undefined {
  if (inputs === undefined) return undefined;
  const written = Object.entries(inputs).map(([name, { type, required, default: value }]) => {
    return [name, mappingOf({ type, required: required ? true : undefined, default: value })];
  });
  return Object.fromEntries(written);
}

function handlersOf({ handlers }: Definition): Written | undefined {
  if (handlers === undefined) return undefined;
  const written = Object.keys(handlerIds).flatMap((key) => {
    const step = handlers[key as keyof typeof handlerIds];
    return step === undefined ? [] : [[key, stepOf(step)] as const];
  });
  return Object.fromEntries(written);
}

function scheduleOf({ schedule }: NonNullable<Definition['on']>): Written | undefined {
  if (schedule === undefined) return undefined;
  return mappingOf({ cron: oneOrMore(schedule.cron), zone: schedule.zone, overlap: schedule.overlap });
}

function childrenOf({ children }: Definition): Written | undefined {
  if (children === undefined) return undefined;
  return Object.fromEntries(Object.entries(children).map(([name, child]) => [name, writtenOf(child)]));
}

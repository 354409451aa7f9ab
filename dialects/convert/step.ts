import type { CallDefinition, LoopDefinition, PersonDefinition, StepDefinition } from '#core/definition/definition.ts';
import { unreachable } from '#core/exhaustive.ts';
import {
  agentOf,
  checkOf,
  conditionOf,
  jsonOf,
  optionalTime,
  outputOf,
  retryOf,
  whenOf,
} from '#dialects/convert/parts.ts';
import type { Written } from '#dialects/convert/written.ts';
import { mappingOf, noneOr, oneOrMore, shortest, timeOf } from '#dialects/convert/written.ts';
import { isShortForm } from '#dialects/native/person.ts';
import { readValue } from '#dialects/source/read-value.ts';

type Keys = Record<string, Written | undefined>;

/** One step of the long form: what it is, what it does, what judges it, what follows. */
export function stepOf(step: StepDefinition): Written {
  const { name, after, when, readOnly, directory, env, secrets, output, outputs, match, checks, mode } = step;
  const { retry, loop, continueOnError, continueOn, skipsDependents } = step;
  return mappingOf({
    name,
    after: after.length === 0 ? undefined : oneOrMore(after),
    when: when === undefined ? undefined : whenOf(when),
    ...workKeys(step.work),
    readOnly,
    directory,
    env,
    secrets: oneOrMore(secrets),
    output: output === undefined ? undefined : outputKeys(output),
    outputs,
    pass: match?.pass,
    fail: match?.fail,
    checks: checks.length === 0 ? undefined : checks.map(checkOf),
    mode,
    time: optionalTime(step.timeSeconds),
    retry: retry === undefined ? undefined : retryOf(retry),
    loop: loop === undefined ? undefined : loopOf(loop),
    continueOnError,
    continueOn: continueOn === undefined ? undefined : mappingOf({ ...continueOn }),
    skipsDependents,
  });
}

function outputKeys({ of, artifact, errorsArtifact }: NonNullable<StepDefinition['output']>): Written {
  return shortest('of', { of, artifact, errorsArtifact });
}

function workKeys(work: StepDefinition['work']): Keys {
  switch (work.kind) {
    case 'agent':
      return { agent: agentOf(work.agent), prompt: work.prompt };
    case 'run':
      return { run: work.command };
    case 'person':
      return { person: personOf(work) };
    case 'call':
      return callKeys(work);
    default:
      return unreachable(work);
  }
}

function callKeys({ definition, inputs, each }: CallDefinition): Keys {
  return {
    call: shortest('definition', { definition, inputs }),
    for: each === undefined ? undefined : mappingOf({ each: each.list, split: each.split, max: each.max }),
  };
}

function personOf(person: PersonDefinition): Written {
  const { ask, show, form, pushBackForm, pushBackLimit, who, quorum, notAuthor, remindSeconds, escalate, time } =
    person;
  return shortest('ask', {
    ask,
    show: show?.map(shownOf),
    form: formOf(form),
    pushBackForm: formOf(pushBackForm),
    pushBackLimit: noneOr(pushBackLimit, (limit) => limit),
    who,
    quorum,
    notAuthor,
    remind: optionalTime(remindSeconds),
    escalate:
      escalate === undefined ? undefined : mappingOf({ to: escalate.to, after: optionalTime(escalate.afterSeconds) }),
    // oxlint-disable-next-line unicorn/no-thenable -- a key of the format; nothing awaits a mapping
    time: time === undefined ? undefined : shortest('limit', { limit: timeOf(time.limitSeconds), then: time.onExpiry }),
  });
}

function shownOf(shown: NonNullable<PersonDefinition['show']>[number]): Written {
  switch (shown.kind) {
    case 'output':
      return `steps.${shown.step}.output`;
    case 'artifact':
      return `artifacts:${shown.path}`;
    case 'file':
      // Told apart from the two others, which begin so.
      return /^(?:steps\.|artifacts:)/.test(shown.path) ? `./${shown.path}` : shown.path;
    default:
      return unreachable(shown);
  }
}

/** A whole JSON Schema; one that looks like the short way of writing a form says that it is of an object, as any form is. */
function formOf(form: Record<string, unknown> | undefined): Written | undefined {
  if (form === undefined) return undefined;
  const written = Object.fromEntries(Object.entries(form).map(([key, value]) => [key, jsonOf(value)]));
  return isShortForm(readValue(form).node) ? { type: 'object', ...written } : written;
}

function loopOf(loop: LoopDefinition): Written {
  const { to, on, limit, wait, repeat, onExhausted, onExhaustedMet, limitJudges, anyTarget, inFlight, prompts } = loop;
  return mappingOf({
    to,
    on,
    limit: noneOr(limit, (count) => count),
    ...(repeat === undefined ? {} : repeatKeys(repeat)),
    wait: wait === undefined ? undefined : waitOf(wait),
    prompt: prompts === undefined ? undefined : promptsOf(prompts),
    onExhausted,
    onExhaustedMet,
    limitJudges,
    anyTarget,
    inFlight,
  });
}

function repeatKeys(repeat: NonNullable<LoopDefinition['repeat']>): Keys {
  const { mode, condition, exitCodes, onError, met, unmet } = repeat;
  const judged = condition === undefined ? { exitCodes: exitCodes ?? [] } : conditionOf(condition);
  return { [mode]: judged, met, unmet, onError };
}

function waitOf({ everySeconds, backoff, maxSeconds }: NonNullable<LoopDefinition['wait']>): Written {
  return mappingOf({ every: optionalTime(everySeconds), backoff, max: optionalTime(maxSeconds) });
}

function promptsOf({ fail, pass }: NonNullable<LoopDefinition['prompts']>): Written {
  return fail !== undefined && fail === pass ? fail : mappingOf({ fail, pass });
}

/** The output of a step, by the name under which a parent run reads it. */
export function outputsOf(outputs: Readonly<Record<string, string>> | undefined): Written | undefined {
  if (outputs === undefined) return undefined;
  return mappingOf(Object.fromEntries(Object.entries(outputs).map(([name, step]) => [name, outputOf(step)])));
}

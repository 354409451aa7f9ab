import type { Condition } from '#core/check/condition.ts';
import { defaults } from '#core/definition/defaults.ts';
import type { AgentDefinition, CheckDefinition, StepDefinition } from '#core/definition/definition.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Written } from '#dialects/convert/written.ts';
import { mappingOf, noneOr, shortest, timeOf } from '#dialects/convert/written.ts';

/** `codex`, or `{name: codex, …}`. `timeSeconds` is the time limit of the short form's one step. */
export function agentOf(agent: AgentDefinition, timeSeconds?: number): Written {
  const { name, model, effort, args, session, fallback, quietSeconds, custom, scripted } = agent;
  return shortest('name', {
    name,
    model,
    effort,
    args,
    session,
    fallback,
    time: timeSeconds === undefined ? undefined : timeOf(timeSeconds),
    quiet: noneOr(quietSeconds, timeOf),
    command: custom?.command,
    prompt: custom?.prompt,
    output: custom?.output,
    passes: scripted?.passes,
  });
}

/** The keys of a condition; exit 0 is what is meant when nothing else is said. */
function conditionKeys({
  command,
  compare,
  returns,
  by,
  caseSensitive,
  negate,
  timeSeconds,
}: Condition): Record<string, Written | undefined> {
  const plain = compare === 'exitCode' && returns === '0';
  return {
    run: command,
    compare: plain || compare === 'auto' ? undefined : compare,
    returns: plain ? undefined : returns,
    by,
    caseSensitive,
    negate,
    time: timeSeconds === defaults.conditionTimeSeconds ? undefined : timeOf(timeSeconds),
  };
}

export function conditionOf(condition: Condition): Written {
  return shortest('run', conditionKeys(condition));
}

export function whenOf(when: NonNullable<StepDefinition['when']>): Written {
  const { condition, and, onUnmet, onError } = when;
  return shortest('run', { ...conditionKeys(condition), and: and?.map(conditionOf), else: onUnmet, onError });
}

export function retryOf(retry: NonNullable<StepDefinition['retry']>): Written {
  const { on, limit, everySeconds, backoff, maxSeconds } = retry;
  return mappingOf({ on, limit, every: optionalTime(everySeconds), backoff, max: optionalTime(maxSeconds) });
}

export function optionalTime(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : timeOf(seconds);
}

/** `npm test`, or a mapping that says its kind by its key. */
export function checkOf(check: CheckDefinition): Written {
  const common = { name: check.name, needs: check.needs };
  const time = optionalTime(check.timeSeconds);
  switch (check.kind) {
    case 'command':
      return shortest('run', { ...common, run: check.command, time, ...commandKeys(check) });
    case 'match':
      return mappingOf({
        ...common,
        match: mappingOf({ of: outputOf(check.of), pass: check.pass, fail: check.fail }),
        time,
      });
    case 'schema':
      return mappingOf({ ...common, schema: mappingOf({ of: outputOf(check.of), ...schemaKeys(check) }), time });
    case 'review': {
      const { agent, criterion, consecutive } = check;
      const review = mappingOf({ agent: agent === undefined ? undefined : agentOf(agent), criterion, consecutive });
      return mappingOf({ ...common, review, time });
    }
    case 'report':
      return mappingOf({ ...common, report: reportOf(check), time });
    default:
      return unreachable(check);
  }
}

function commandKeys(check: Extract<CheckDefinition, { kind: 'command' }>): Record<string, Written | undefined> {
  const { expectExit, where, provide, evidence } = check;
  return {
    expect: expectExit === undefined ? undefined : { exit: expectExit },
    where,
    provide,
    evidence: evidence === undefined ? undefined : mappingOf({ tests: `>=${evidence.tests}`, file: evidence.file }),
  };
}

function schemaKeys({ schema }: Extract<CheckDefinition, { kind: 'schema' }>): Record<string, Written> {
  return 'file' in schema ? { file: schema.file } : { inline: jsonOf(schema.inline) };
}

function reportOf({ file, wants }: Extract<CheckDefinition, { kind: 'report' }>): Written {
  return mappingOf(wants.kind === 'artifact' ? { artifact: wants.path, file } : { worklist: true, file });
}

export function outputOf(step: string | undefined): string | undefined {
  return step === undefined ? undefined : `steps.${step}.output`;
}

/** A JSON value, such as a schema. */
export function jsonOf(value: unknown): Written {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, jsonOf(entry)]));
  }
  const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return scalar ? value : null;
}

import type { HandlersDefinition, LoopDefinition, StepDefinition } from '#core/definition/definition.ts';
import type { LoopPrompts, OutputPlan } from '#core/plan/plan.ts';
import { present } from '#core/definition/present.ts';
import { handlerIds } from '#core/plan/compile-handlers.ts';
import { checks } from '#dialects/native/checks.ts';
import {
  condition,
  env,
  exitCodes,
  hasKey,
  mode,
  onExhausted,
  retry,
  secrets,
  time,
  when,
} from '#dialects/native/parts.ts';
import { verdictPatterns } from '#dialects/native/verdict-prompt.ts';
import type { At } from '#dialects/native/at.ts';
import { workOf, workShape } from '#dialects/native/work.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading, ShapeOf } from '#dialects/source/reading.ts';
import { below, mapOf, mapping, oneOrMore } from '#dialects/source/reading.ts';
import { duration, flag, integer, noneOr, number, text, textOrEmpty, word } from '#dialects/source/scalars.ts';

const eachPrompt = mapping({ fail: text, pass: text });

/** One text for every next pass, or one after a failure and one after a pass (C6). */
const loopPrompts: Field<LoopPrompts> = (node, path, reading) => {
  if (node.kind === 'map') return eachPrompt(node, path, reading);
  const prompt = text(node, path, reading);
  return prompt === undefined ? undefined : { fail: prompt, pass: prompt };
};

const exitCodesMapping = mapping({ exitCodes });

/** A condition, or the exit codes of the step's own attempt. */
const judgedBy: Field<Pick<NonNullable<LoopDefinition['repeat']>, 'condition' | 'exitCodes'>> = (
  node,
  path,
  reading,
) => {
  if (hasKey(node, 'exitCodes')) return exitCodesMapping(node, path, reading);
  const read = condition(node, path, reading);
  return read === undefined ? undefined : { condition: read };
};

const action = word(['continue', 'again', 'stop']);

const loopMapping = mapping({
  to: text,
  on: word(['fail', 'pass', 'always']),
  limit: noneOr(integer(0, 1_000_000)),
  wait: mapping({ every: duration({ zero: true }), backoff: number(1, 100), max: duration({ zero: true }) }),
  until: judgedBy,
  while: judgedBy,
  met: action,
  unmet: action,
  onError: word(['pause', 'fail', 'unmet']),
  onExhausted,
  onExhaustedMet: onExhausted,
  limitJudges: flag,
  anyTarget: flag,
  inFlight: word(['cancel', 'keep']),
  prompt: loopPrompts,
});

const loop: Field<LoopDefinition> = (node, path, reading) => {
  const read = loopMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (hasKey(node, 'until') && hasKey(node, 'while')) {
    reading.report(path, 'definition/conflict', 'a loop repeats `until` or `while`, not both; keep one');
  }
  const { to, on, limit, inFlight, onExhausted: exhausted, wait, prompt: prompts, limitJudges, anyTarget } = read;
  return {
    ...present({
      to,
      on,
      limit,
      inFlight,
      onExhausted: exhausted,
      onExhaustedMet: read.onExhaustedMet,
      limitJudges,
      anyTarget,
      prompts,
      repeat: repeatOf(read, { node, path, reading }),
    }),
    ...(wait === undefined
      ? {}
      : { wait: present({ everySeconds: wait.every, backoff: wait.backoff, maxSeconds: wait.max }) }),
  };
};

function repeatOf(
  read: NonNullable<ReturnType<typeof loopMapping>>,
  at: { node: SourceNode; path: string; reading: Reading },
): LoopDefinition['repeat'] {
  const more = present({ onError: read.onError, met: read.met, unmet: read.unmet });
  if (read.until !== undefined) return { mode: 'until', ...read.until, ...more };
  if (read.while !== undefined) return { mode: 'while', ...read.while, ...more };
  if (hasKey(at.node, 'until') || hasKey(at.node, 'while')) return undefined;
  for (const key of Object.keys(more)) {
    const message = `\`${key}\` belongs to \`until\` or \`while\`; remove it`;
    at.reading.report(below(at.path, key), 'definition/conflict', message);
  }
  return undefined;
}

const outputMapping = mapping({ of: word(['all', 'stdout']), artifact: text, errorsArtifact: text });

/** `stdout`, or `{of, artifact, errorsArtifact}`. */
const stepOutput: Field<OutputPlan> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const of = word(['all', 'stdout'])(node, path, reading);
    return of === undefined ? undefined : { of };
  }
  const read = outputMapping(node, path, reading);
  return read === undefined ? undefined : { of: 'all', ...present(read) };
};

const shape = {
  ...workShape,
  name: text,
  readOnly: flag,
  after: oneOrMore(text, 'ids of steps'),
  when,
  pass: textOrEmpty,
  fail: textOrEmpty,
  checks,
  mode,
  loop,
  retry,
  time,
  continueOnError: flag,
  continueOn: mapping({
    exitCodes,
    matches: oneOrMore(text, 'a list of patterns'),
    caseSensitive: flag,
    markSuccess: flag,
  }),
  skipsDependents: flag,
  env,
  secrets,
  directory: text,
  output: stepOutput,
  outputs: mapOf(text, 'a mapping from names to paths in the JSON of the output, such as `result.items.0`'),
} as const;

type StepRead = ShapeOf<typeof shape>;
const stepMapping = mapping(shape);

/** The steps in written order. One that cannot be read keeps its id, so that names of it elsewhere stay right. */
export const steps: Field<StepDefinition[]> = (node, path, reading) => {
  if (node.kind !== 'map') return reading.reportType(node, path, 'a mapping from ids to steps');
  if (node.entries.length === 0) {
    reading.report(path, 'definition/empty', '`steps` is empty; write at least one step');
    return undefined;
  }
  return node.entries.map((entry) => readStep(entry.key, entry.value, { path: below(path, entry.key), reading }));
};

const handlersMapping = mapping({ success: anyNode, failure: anyNode, cancel: anyNode, exit: anyNode });

/** Steps by when they run, once the run's end is known. */
export const handlers: Field<HandlersDefinition> = (node, path, reading) => {
  const written = handlersMapping(node, path, reading);
  if (written === undefined) return undefined;
  const read = Object.entries(written).map(([key, step]) => {
    const id = handlerIds[key as keyof HandlersDefinition];
    return [key, readStep(id, step, { path: below(path, key), reading })] as const;
  });
  return Object.fromEntries(read);
};

function anyNode(node: SourceNode): SourceNode {
  return node;
}

function readStep(id: string, node: SourceNode, at: At): StepDefinition {
  const { path, reading } = at;
  const read = stepMapping(node, path, reading) ?? {};
  const work = workOf(read, node, at);
  const {
    name,
    after = [],
    checks: own = [],
    when: before,
    readOnly,
    mode: combine,
    retry: again,
    continueOnError,
  } = read;
  return {
    id,
    after,
    work,
    checks: own,
    ...present({
      name,
      readOnly,
      when: before,
      mode: combine,
      continueOnError,
      loop: read.loop,
      match: matchOf(read, at),
    }),
    ...present({ timeSeconds: timeOf(read, at), env: read.env, secrets: read.secrets }),
    ...present({ continueOn: read.continueOn, skipsDependents: read.skipsDependents, directory: read.directory }),
    ...present({ output: read.output, outputs: read.outputs }),
    ...(again === undefined ? {} : { retry: retryOf(again) }),
  };
}

export function retryOf(read: NonNullable<StepRead['retry']>): NonNullable<StepDefinition['retry']> {
  const { on, limit, every, backoff, max } = read;
  return present({ on, limit, everySeconds: every, backoff, maxSeconds: max });
}

function matchOf(read: StepRead, at: At): StepDefinition['match'] {
  const written = present({ pass: read.pass, fail: read.fail });
  const any = Object.keys(written).length > 0;
  if (read.verdict === undefined || read.agent === undefined) return any ? written : undefined;
  if (any) {
    const message = '`verdict: approve` brings its own patterns; remove `pass` and `fail`, or `verdict`';
    at.reading.report(below(at.path, 'verdict'), 'definition/conflict', message);
  }
  return verdictPatterns;
}

function timeOf(read: StepRead, at: At): number | undefined {
  if (read.time !== undefined && read.agent?.timeSeconds !== undefined) {
    at.reading.report(
      below(at.path, 'time'),
      'definition/conflict',
      '`time` is given for the step and for its agent; keep one',
    );
  }
  return read.time ?? read.agent?.timeSeconds;
}

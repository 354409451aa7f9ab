import type { LoopDefinition, StepDefinition } from '#core/definition/definition.ts';
import type { LoopPrompts } from '#core/plan/plan.ts';
import { present } from '#core/definition/present.ts';
import { checks } from '#dialects/native/checks.ts';
import { condition, env, hasKey, mode, onExhausted, retry, secrets, time, when } from '#dialects/native/parts.ts';
import { verdictPatterns } from '#dialects/native/verdict-prompt.ts';
import type { At } from '#dialects/native/at.ts';
import { workOf, workShape } from '#dialects/native/work.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading, ShapeOf } from '#dialects/source/reading.ts';
import { below, mapping, notYet, oneOrMore } from '#dialects/source/reading.ts';
import { duration, flag, integer, noneOr, number, text, textOrEmpty, word } from '#dialects/source/scalars.ts';

const eachPrompt = mapping({ fail: text, pass: text });

/** One text for every next pass, or one after a failure and one after a pass (C6). */
const loopPrompts: Field<LoopPrompts> = (node, path, reading) => {
  if (node.kind === 'map') return eachPrompt(node, path, reading);
  const prompt = text(node, path, reading);
  return prompt === undefined ? undefined : { fail: prompt, pass: prompt };
};

const loopMapping = mapping({
  to: text,
  on: word(['fail', 'pass', 'always']),
  limit: noneOr(integer(0, 1_000_000)),
  wait: mapping({ every: duration({ zero: true }), backoff: number(1, 100), max: duration({ zero: true }) }),
  until: condition,
  while: condition,
  onError: word(['pause', 'fail']),
  onExhausted,
  inFlight: word(['cancel', 'keep']),
  prompt: loopPrompts,
});

const loop: Field<LoopDefinition> = (node, path, reading) => {
  const read = loopMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (hasKey(node, 'until') && hasKey(node, 'while')) {
    reading.report(path, 'definition/conflict', 'a loop repeats `until` or `while`, not both; keep one');
  }
  const { to, on, limit, inFlight, onExhausted: exhausted, wait, prompt: prompts } = read;
  return {
    ...present({
      to,
      on,
      limit,
      inFlight,
      onExhausted: exhausted,
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
  const onError = present({ onError: read.onError });
  if (read.until !== undefined) return { mode: 'until', condition: read.until, ...onError };
  if (read.while !== undefined) return { mode: 'while', condition: read.while, ...onError };
  if (read.onError !== undefined && !hasKey(at.node, 'until') && !hasKey(at.node, 'while')) {
    at.reading.report(
      below(at.path, 'onError'),
      'definition/conflict',
      '`onError` belongs to `until` or `while`; remove it',
    );
  }
  return undefined;
}

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
  env,
  secrets,
  outputs: notYet(
    'use the whole output, `{{steps.<id>.output}}`; what a definition gives to its caller is named in its own `outputs`',
  ),
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
    ...(again === undefined ? {} : { retry: retryOf(again) }),
  };
}

export function retryOf(read: NonNullable<StepRead['retry']>): NonNullable<StepDefinition['retry']> {
  return present({ on: read.on, limit: read.limit, everySeconds: read.every, backoff: read.backoff });
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

import type { LoopDefinition, StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { checks } from '#dialects/native/checks.ts';
import {
  agent,
  condition,
  env,
  hasKey,
  mode,
  onExhausted,
  retry,
  secrets,
  time,
  when,
} from '#dialects/native/parts.ts';
import { reviewRequest, verdictPatterns, verdictRequest } from '#dialects/native/verdict-prompt.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading, ShapeOf } from '#dialects/source/reading.ts';
import { below, mapping, notYet, oneOrMore } from '#dialects/source/reading.ts';
import { duration, flag, integer, noneOr, number, text, textOrEmpty, word } from '#dialects/source/scalars.ts';

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
});

const loop: Field<LoopDefinition> = (node, path, reading) => {
  const read = loopMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (hasKey(node, 'until') && hasKey(node, 'while')) {
    reading.report(path, 'definition/conflict', 'a loop repeats `until` or `while`, not both; keep one');
  }
  const { to, on, limit, inFlight, onExhausted: exhausted, wait } = read;
  return {
    ...present({ to, on, limit, inFlight, onExhausted: exhausted, repeat: repeatOf(read, { node, path, reading }) }),
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
  name: text,
  agent,
  run: text,
  person: notYet(
    'a person cannot decide inside a run yet: end the run before it, look at its branch, and start the rest as another run',
  ),
  call: notYet('write the steps of the other definition into this one'),
  prompt: text,
  readOnly: flag,
  after: oneOrMore(text, 'ids of steps'),
  when,
  pass: textOrEmpty,
  fail: textOrEmpty,
  verdict: word(['approve']),
  checks,
  mode,
  loop,
  retry,
  time,
  continueOnError: flag,
  env,
  secrets,
  outputs: notYet('use the whole output, `{{steps.<id>.output}}`'),
  for: notYet('write one step for each item'),
} as const;

type StepRead = ShapeOf<typeof shape>;
const stepMapping = mapping(shape);
const works = ['agent', 'run', 'person', 'call'] as const;

/** The steps in written order. One that cannot be read keeps its id, so that names of it elsewhere stay right. */
export const steps: Field<StepDefinition[]> = (node, path, reading) => {
  if (node.kind !== 'map') return reading.reportType(node, path, 'a mapping from ids to steps');
  if (node.entries.length === 0) {
    reading.report(path, 'definition/empty', '`steps` is empty; write at least one step');
    return undefined;
  }
  return node.entries.map((entry) => readStep(entry.key, entry.value, { path: below(path, entry.key), reading }));
};

function readStep(id: string, node: SourceNode, at: { path: string; reading: Reading }): StepDefinition {
  const { path, reading } = at;
  const read = stepMapping(node, path, reading) ?? {};
  if (node.kind === 'map') reportWork(node, path, reading);
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

function reportWork(node: SourceNode, path: string, reading: Reading): void {
  const written = works.filter((key) => hasKey(node, key));
  if (written.length === 1) return;
  const found = written.length === 0 ? 'none' : written.map((key) => `\`${key}\``).join(' and ');
  const message = `a step has exactly one of \`agent\`, \`run\`, \`person\`, \`call\`; this one has ${found}`;
  reading.report(path, written.length === 0 ? 'definition/missing' : 'definition/conflict', message);
}

/** A step without work that can be read gets a stand-in; its issues keep the definition from ever being run. */
function workOf(read: StepRead, node: SourceNode, at: { path: string; reading: Reading }): StepDefinition['work'] {
  const standIn = { kind: 'run', command: ':' } as const;
  if (!hasKey(node, 'agent')) {
    reportAgentKeys(node, at);
    return read.run === undefined ? standIn : { kind: 'run', command: read.run };
  }
  const prompt = promptOf(read, node, at);
  if (read.agent === undefined) return standIn;
  return { kind: 'agent', agent: read.agent.agent, prompt };
}

function promptOf(read: StepRead, node: SourceNode, at: { path: string; reading: Reading }): string {
  if (read.verdict === 'approve') return `${read.prompt ?? reviewRequest}\n\n${verdictRequest}`;
  if (!hasKey(node, 'prompt')) at.reading.report(at.path, 'definition/missing', 'an `agent` step needs a `prompt`');
  return read.prompt ?? '';
}

function reportAgentKeys(node: SourceNode, at: { path: string; reading: Reading }): void {
  if (!hasKey(node, 'run')) return;
  for (const key of ['prompt', 'verdict']) {
    if (!hasKey(node, key)) continue;
    const message = `\`${key}\` belongs to an \`agent\` step; a \`run\` step is judged by its exit code, \`pass\`, \`fail\` and \`checks\``;
    at.reading.report(below(at.path, key), 'definition/conflict', message);
  }
}

function matchOf(read: StepRead, at: { path: string; reading: Reading }): StepDefinition['match'] {
  const written = present({ pass: read.pass, fail: read.fail });
  const any = Object.keys(written).length > 0;
  if (read.verdict === undefined) return any ? written : undefined;
  if (any) {
    const message = '`verdict: approve` brings its own patterns; remove `pass` and `fail`, or `verdict`';
    at.reading.report(below(at.path, 'verdict'), 'definition/conflict', message);
  }
  return verdictPatterns;
}

function timeOf(read: StepRead, at: { path: string; reading: Reading }): number | undefined {
  if (read.time !== undefined && read.agent?.timeSeconds !== undefined) {
    at.reading.report(
      below(at.path, 'time'),
      'definition/conflict',
      '`time` is given for the step and for its agent; keep one',
    );
  }
  return read.time ?? read.agent?.timeSeconds;
}

import type { Definition, StepDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { durationText } from '#core/plan/amounts.ts';
import { handlerIds } from '#core/plan/compile-handlers.ts';
import { withWanted } from '#dialects/dagu/build-step.ts';
import { readStep, readSteps, type WrittenStep } from '#dialects/dagu/read-steps.ts';
import type { RootRead } from '#dialects/dagu/root-shape.ts';
import { rootMapping } from '#dialects/dagu/root-shape.ts';
import { has } from '#dialects/dagu/keys.ts';
import { Ids } from '#dialects/dagu/step-ids.ts';
import { StepBuilder } from '#dialects/dagu/step-builder.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';

/** One document: what it defines, and where each of its steps is written. */
export interface DaguDocument {
  definition: Definition | undefined;
  /** Of the document, by step id; handlers too. */
  places: ReadonlyMap<string, string>;
  /** Of the document. */
  path: string;
}

/** One DAG as a definition with all that Dagu does otherwise written into it. */
export function readDag(node: SourceNode, path: string, reading: Reading): DaguDocument {
  const read = rootMapping(node, path, reading);
  if (read === undefined) return { definition: undefined, places: new Map(), path };
  const harnesses = { definitions: read.harnesses ?? {}, ...present({ defaults: read.harness }) };
  const of = { harnesses, type: read.type ?? 'graph', defaults: read.defaults ?? {}, reading } as const;
  if (read.steps === undefined) reading.report(path, 'definition/missing', 'a DAG needs `steps`');
  const steps = read.steps === undefined ? [] : readSteps(read.steps, below(path, 'steps'), of);
  warnOfOrder(read, steps, below(path, 'steps'), reading);
  const handlers = readHandlers(read, below(path, 'handler_on'), of);
  const first = firstSteps(read, steps, below(path, 'handler_on'), of);
  const all = [...first, ...steps];
  const built = new StepBuilder(read, all, reading);
  const made = all.map((step) => built.step(step));
  const ends = handlers.map(([key, step]) => [key, built.handler(step)] as const);
  const places = new Map([...all, ...handlers.map(([, step]) => step)].map((step) => [step.id, step.path]));
  if (made.length === 0) return { definition: undefined, places, path };
  return { definition: definitionOf(read, all, { made, ends, built, reading }), places, path };
}

/** From 1.17 on a chain was the default for a while; before it and since, a graph is. */
function warnOfOrder({ type }: RootRead, steps: readonly WrittenStep[], path: string, reading: Reading): void {
  const isOlder = steps.some(({ node }) => has(node, 'command', 'script'));
  const isOrdered = type !== undefined || steps.some(({ read }) => read.depends !== undefined);
  if (!isOlder || isOrdered || steps.length < 2) return;
  const message =
    'no step has `depends`, so they run side by side; versions that ran them one after the other had `type: chain` by default: write it, or `type: graph`';
  reading.warn(path, 'dialect/other-default', message);
}

type StepsOf = Parameters<typeof readSteps>[2];

const handlerKeys = { success: 'success', failure: 'failure', abort: 'cancel', exit: 'exit' } as const;

function readHandlers(
  { handler_on: written = {} }: RootRead,
  path: string,
  of: StepsOf,
): (readonly [keyof typeof handlerIds, WrittenStep])[] {
  return (['success', 'failure', 'abort', 'exit'] as const).flatMap((key) => {
    const node = written[key];
    if (node === undefined) return [];
    const at = below(path, key);
    const step = readStep(node, at, { ...of, defaults: {}, ids: new Ids(of.reading), index: 0 });
    const id = handlerIds[handlerKeys[key]];
    for (const [misplaced, how] of [
      ['depends', 'warn'],
      ['repeat_policy', 'report'],
    ] as const) {
      if (step.read[misplaced] === undefined) continue;
      const message = `\`${misplaced}\` has no meaning for a handler: it runs once, when the run has ended; remove it`;
      of.reading[how](below(at, misplaced), how === 'warn' ? 'dialect/no-effect' : 'definition/conflict', message);
    }
    return [[handlerKeys[key], { ...step, id, name: step.read.name ?? id }] as const];
  });
}

/** What Dagu does before the first step, as steps that all others come after: its root conditions, and `init`. */
function firstSteps(read: RootRead, steps: readonly WrittenStep[], path: string, of: StepsOf): WrittenStep[] {
  const first: WrittenStep[] = [];
  const ids = new Set(steps.map(({ id }) => id));
  const free = (id: string): string => (ids.has(id) ? free(`${id}-0`) : id);
  if (read.preconditions !== undefined) {
    const node: SourceNode = { kind: 'map', entries: [] };
    const id = free('preconditions');
    const work = { kind: 'run', work: { kind: 'fixed', command: ':' } } as const;
    const own = { preconditions: read.preconditions };
    first.push({ id, name: id, path: path.replace(/handler_on$/, 'preconditions'), node, read: own, work, after: [] });
  }
  const init = read.handler_on?.init;
  if (init !== undefined) {
    const step = readStep(init, below(path, 'init'), { ...of, defaults: {}, ids: new Ids(of.reading), index: 0 });
    const id = free('init');
    first.push({ ...step, id, name: step.read.name ?? id, after: first.map((before) => before.id) });
  }
  const last = first.at(-1);
  if (last !== undefined) for (const step of steps) if (step.after.length === 0) step.after.push(last.id);
  return first;
}

interface Made {
  made: StepDefinition[];
  ends: (readonly [keyof typeof handlerIds, StepDefinition])[];
  built: StepBuilder;
  reading: Reading;
}

function definitionOf(read: RootRead, steps: readonly WrittenStep[], { made, ends, built, reading }: Made): Definition {
  const { name, labels, params, schedule, dotenv } = read;
  const wanted = (step: StepDefinition): StepDefinition => withWanted(step, built.names);
  const handlers = Object.fromEntries(ends.map(([key, step]) => [key, wanted(step)]));
  const files = dotenv?.length === 0 ? [] : ['.env', ...(dotenv ?? []).map(({ text }) => text)];
  const { repo } = built.directories;
  return {
    ...present({ name, labels, inputs: params?.inputs }),
    steps: made.map(wanted),
    limits: limitsOf(read, steps, reading),
    workspace: {
      worktree: false,
      ...present({ repo }),
      ...(files.length === 0 ? {} : { envFiles: [...new Set(files)] }),
    },
    baseline: 'off',
    deliver: { mode: 'none' },
    artifacts: true,
    ...(ends.length === 0 ? {} : { handlers }),
    ...(schedule === undefined ? {} : { on: { schedule } }),
    ...outputsOf(steps),
  };
}

/** Dagu's limit counts everything; with people in the run it counts work, as their answers start a new count there. */
function limitsOf(read: RootRead, steps: readonly WrittenStep[], reading: Reading): NonNullable<Definition['limits']> {
  const { timeout_sec: timeout } = read;
  const hasPeople = steps.some(({ work }) => work.kind === 'person');
  if (timeout !== undefined) {
    return hasPeople
      ? { timeSeconds: timeout, noProgress: 0 }
      : { timeSeconds: null, deadlineSeconds: timeout, noProgress: 0 };
  }
  const unlimited = steps.flatMap(({ read: { repeat_policy: repeat }, work }) => {
    return repeat?.isUnlimited === true && work.kind !== 'person' ? [repeat] : [];
  });
  for (const { path } of unlimited) {
    const message = `the repeat has no \`limit\`; the run is given ${durationText(defaults.timeSeconds)} of work, which ends it: write \`limit\`, or \`timeout_sec\` for the DAG`;
    reading.warn(path, 'loop/unbounded', message);
  }
  return { timeSeconds: unlimited.length === 0 ? null : defaults.timeSeconds, noProgress: 0 };
}

/** What a DAG that calls this one reads of it: its output variables, by their names. */
function outputsOf(steps: readonly WrittenStep[]): Pick<Definition, 'outputs'> {
  const named = steps.flatMap(({ id, read }) => {
    const { variable, published = new Map() } = read.output ?? {};
    const keys = [...published].flatMap(([key, value]) => ('whole' in value ? [key] : []));
    return [...(variable === undefined ? [] : [variable]), ...keys].map((name) => [name, id] as const);
  });
  const plainNamed = named.filter(([name]) => /^[A-Za-z][\w-]{0,63}$/.test(name));
  return plainNamed.length === 0 ? {} : { outputs: Object.fromEntries(plainNamed) };
}

import { present } from '#core/definition/present.ts';
import type { Harnesses } from '#dialects/dagu/harness.ts';
import { fieldsOf } from '#dialects/dagu/human-task.ts';
import { has } from '#dialects/dagu/keys.ts';
import type { NamedStep } from '#dialects/dagu/found.ts';
import { connect } from '#dialects/dagu/connect-steps.ts';
import { Ids } from '#dialects/dagu/step-ids.ts';
import type { StepRead } from '#dialects/dagu/step-shape.ts';
import { stepMapping } from '#dialects/dagu/step-shape.ts';
import type { StepWork } from '#dialects/dagu/step-work.ts';
import { unread, workOf } from '#dialects/dagu/step-work.ts';
import { writtenList } from '#dialects/dagu/values.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';

/** A step as it is written, under the id that it has here. */
export interface WrittenStep {
  id: string;
  /** As it is shown: Dagu's own name, else its id. */
  name: string;
  /** Where it is written. */
  path: string;
  node: SourceNode;
  read: StepRead;
  work: StepWork;
  /** Ids. */
  after: string[];
}

interface StepsOf {
  harnesses: Harnesses;
  type: 'graph' | 'chain';
  /** What steps have that say nothing else. */
  defaults: StepRead;
  reading: Reading;
}

/** The steps of a list, or of a mapping by name, in written order. */
export function readSteps(node: SourceNode, path: string, of: StepsOf): WrittenStep[] {
  const { reading } = of;
  if (node.kind === 'scalar') {
    reading.reportType(node, path, 'a list of steps');
    return [];
  }
  const items = itemsOf(node, path);
  if (items.length === 0 && (node.kind === 'map' ? node.entries : node.items).length === 0) {
    reading.report(path, 'definition/empty', '`steps` is empty; write at least one step');
  }
  const ids = new Ids(reading);
  const steps = items.map(({ item, at, key }, index) => readStep(item, at, { ...of, ids, key, index }));
  connect(steps, of.type === 'chain' ? items.map(({ place }) => place) : undefined, ids, reading);
  return steps;
}

interface Item {
  item: SourceNode;
  at: string;
  key?: string;
  /** Items of one list within the list stand side by side. */
  place: number;
}

function itemsOf(node: Exclude<SourceNode, { kind: 'scalar' }>, path: string): Item[] {
  if (node.kind === 'map') {
    return node.entries.map(({ key, value }, place) => ({ item: value, at: below(path, key), key, place }));
  }
  return node.items.flatMap((item, place): Item[] => {
    const at = below(path, String(place));
    if (item.kind !== 'list') return [{ item, at, place }];
    return item.items.map((inner, index) => ({ item: inner, at: below(at, String(index)), place }));
  });
}

/** One step, as of the list or as a handler. */
export function readStep(
  node: SourceNode,
  path: string,
  { ids, key, index, harnesses, defaults, reading }: StepsOf & { ids: Ids; key?: string | undefined; index: number },
): WrittenStep {
  const own = node.kind === 'scalar' ? ofText(node, path, reading) : (stepMapping(node, path, reading) ?? {});
  const read = { ...defaults, ...own };
  const { id, name } = ids.of(own, { key, index, path });
  const work = workOf(read, { node, path, reading, harnesses });
  if (work !== unread) reportMisplaced(node, path, work, reading);
  if (work.kind === 'call') reportExitCodes(own, path, reading);
  const { parallel } = read;
  return {
    id,
    name,
    path,
    node,
    read,
    work: work.kind === 'call' && parallel !== undefined ? { ...work, parallel } : work,
    after: [],
  };
}

function ofText(node: SourceNode, path: string, reading: Reading): StepRead {
  const run = writtenList(node, path, reading);
  return run === undefined ? {} : { run };
}

const processKeys = ['shell', 'shell_args', 'stdout', 'stderr', 'output', 'output_schema', 'outputs', 'working_dir'];
const meaningless: Readonly<Record<StepWork['kind'], readonly string[]>> = {
  run: ['parallel', 'params'],
  agent: ['parallel', 'params', 'shell', 'shell_args', 'outputs'],
  person: [...processKeys, 'parallel', 'params', 'env', 'retry_policy', 'repeat_policy', 'timeout_sec', 'script'],
  call: [...processKeys.filter((key) => key !== 'output'), 'script'],
};
const what = {
  run: 'a command',
  agent: '`harness.run`',
  person: '`human.task`',
  call: '`dag.run`',
} as const;

function reportExitCodes(read: StepRead, path: string, reading: Reading): void {
  for (const key of ['retry_policy', 'repeat_policy'] as const) {
    if (read[key]?.exit_code === undefined) continue;
    const instead = key === 'retry_policy' ? 'leave it out to repeat whatever did not succeed' : 'write a `condition`';
    const message = `a child run has no exit code; ${instead}`;
    reading.report(below(below(path, key), 'exit_code'), 'definition/conflict', message);
  }
}

function reportMisplaced(node: SourceNode, path: string, { kind }: StepWork, reading: Reading): void {
  for (const key of meaningless[kind]) {
    if (!has(node, key)) continue;
    const message = `\`${key}\` has no meaning for a step with ${what[kind]}; remove it`;
    reading.report(below(path, key), 'definition/conflict', message);
  }
}

/** How the references of other steps see a step. */
export function namedStep({ id, name, read, work }: WrittenStep): NamedStep {
  const { stdout, stderr, output } = read;
  return {
    id,
    name,
    kind: work.kind,
    published: publishedBy(read, work),
    ...(work === unread ? { open: true } : {}),
    ...(work.kind === 'call' && work.parallel !== undefined ? { many: true } : {}),
    ...present({ variable: output?.variable, stdout: stdout?.artifact, stderr: stderr?.artifact }),
  };
}

function publishedBy({ output, outputs = [] }: StepRead, work: StepWork): NamedStep['published'] {
  const declared = outputs.map(({ name }) => [name, { path: name }] as const);
  const answer = work.kind === 'person' ? [...fieldsOf(work.task), 'comment', 'decidedBy'] : [];
  const fields = answer.map((name) => [name, { whole: true }] as const);
  return new Map([...(output?.published ?? []), ...declared, ...fields]);
}

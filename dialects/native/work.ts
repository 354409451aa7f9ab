import type { StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { At } from '#dialects/native/at.ts';
import { call, each } from '#dialects/native/call.ts';
import { agent, hasKey } from '#dialects/native/parts.ts';
import { person } from '#dialects/native/person.ts';
import { reviewRequest, verdictRequest } from '#dialects/native/verdict-prompt.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { ShapeOf } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';
import { text, word } from '#dialects/source/scalars.ts';

/** The keys of a step that say what it does. */
export const workShape = {
  agent,
  run: text,
  person,
  call,
  for: each,
  prompt: text,
  verdict: word(['approve']),
} as const;

type WorkRead = ShapeOf<typeof workShape>;

const works = ['agent', 'run', 'person', 'call'] as const;
type WorkKey = (typeof works)[number];

/** Which key belongs to which work, and what the others have in its place. */
const belongsTo = {
  prompt: { work: 'agent', instead: 'its text is said by `run`, `person.ask` or `call.inputs`' },
  verdict: { work: 'agent', instead: 'only an agent is asked for a verdict' },
  for: { work: 'call', instead: 'write its steps as a definition under `definitions`, and call that for each item' },
} as const satisfies Record<string, { work: WorkKey; instead: string }>;

/** A step without work that can be read gets a stand-in; its issues keep the definition from ever being run. */
export function workOf(read: WorkRead, node: SourceNode, at: At): StepDefinition['work'] {
  reportWork(node, at);
  const standIn = { kind: 'run', command: ':' } as const;
  if (hasKey(node, 'agent')) {
    const prompt = promptOf(read, node, at);
    return read.agent === undefined ? standIn : { kind: 'agent', agent: read.agent.agent, prompt };
  }
  if (hasKey(node, 'run')) return read.run === undefined ? standIn : { kind: 'run', command: read.run };
  if (read.call !== undefined) return { ...read.call, ...present({ each: read.for }) };
  return read.person ?? standIn;
}

function reportWork(node: SourceNode, { path, reading }: At): void {
  if (node.kind !== 'map') return;
  const written = works.filter((key) => hasKey(node, key));
  const [only] = written;
  if (only === undefined || written.length > 1) {
    const found = only === undefined ? 'none' : written.map((key) => `\`${key}\``).join(' and ');
    const message = `a step has exactly one of \`agent\`, \`run\`, \`person\`, \`call\`; this one has ${found}`;
    reading.report(path, only === undefined ? 'definition/missing' : 'definition/conflict', message);
    return;
  }
  for (const [key, { work, instead }] of Object.entries(belongsTo)) {
    if (work === only || !hasKey(node, key)) continue;
    const message = `\`${key}\` belongs to a step with \`${work}\`, and this one has \`${only}\`; ${instead}`;
    reading.report(below(path, key), 'definition/conflict', message);
  }
}

function promptOf(read: WorkRead, node: SourceNode, at: At): string {
  if (read.verdict === 'approve') return `${read.prompt ?? reviewRequest}\n\n${verdictRequest}`;
  if (!hasKey(node, 'prompt')) at.reading.report(at.path, 'definition/missing', 'an `agent` step needs a `prompt`');
  return read.prompt ?? '';
}

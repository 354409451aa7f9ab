import type { AgentDefinition, CheckDefinition } from '#core/definition/definition.ts';
import { defaults } from '#core/definition/defaults.ts';
import { present } from '#core/definition/present.ts';
import { valueAt } from '#dialects/source/node.ts';
import type { Field, ShapeOf } from '#dialects/source/reading.ts';
import { below, listOf, mapping, optional } from '#dialects/source/reading.ts';
import { text, word } from '#dialects/source/scalars.ts';
import { literally } from '#dialects/source/template-text.ts';
import { provider } from '#dialects/task-file/agent.ts';

/** A gate as it is written; what it takes from the rest of the file is filled in by `checkOf`. */
export type Gate = { name?: string } & (
  | { kind: 'command'; command: string }
  | { kind: 'agent'; prompt: string; agent: Partial<AgentDefinition> }
);

const shape = {
  type: word(['command', 'agent']),
  name: optional(text),
  command: text,
  provider: optional(provider),
  prompt: text,
  model: optional(text),
  extraArgs: optional(listOf(text, 'a list of arguments')),
} as const;

const gateMapping = mapping(shape);

/** Which type of gate a key belongs to. */
const owners = [
  ['command', 'command'],
  ['provider', 'agent'],
  ['prompt', 'agent'],
  ['model', 'agent'],
  ['extraArgs', 'agent'],
] as const;

/** A gate without `type` runs a command (T-21). One that cannot be read keeps its place, so that paths stay right. */
const gate: Field<Gate> = (node, path, reading) => {
  const read = gateMapping(node, path, reading);
  const standIn: Gate = { kind: 'command', name: path, command: ':' };
  if (read === undefined) return standIn;
  const { type = 'command' } = read;
  for (const [key, owner] of owners) {
    if (owner === type || read[key] === undefined) continue;
    const message = `\`${key}\` belongs to a gate of type \`${owner}\`, and this one is \`${type}\`; remove it`;
    reading.report(below(path, key), 'definition/conflict', message);
  }
  const work = type === 'command' ? 'command' : 'prompt';
  if (valueAt(node, work) === undefined) {
    const what =
      type === 'command' ? 'a command gate needs `command`' : 'an agent gate needs `prompt`: what it judges by';
    reading.report(path, 'definition/missing', what);
  }
  return gateOf(read, type) ?? standIn;
};

function gateOf(read: ShapeOf<typeof shape>, type: 'command' | 'agent'): Gate | undefined {
  const { name, command, prompt, provider: agent, model, extraArgs: args } = read;
  if (type === 'command') return command === undefined ? undefined : { kind: 'command', command, ...present({ name }) };
  if (prompt === undefined) return undefined;
  return { kind: 'agent', prompt, agent: present({ name: agent, model, args }), ...present({ name }) };
}

/** The gates in written order; there must be one at least (T-05). */
export const gates: Field<Gate[]> = (node, path, reading) => {
  const read = listOf(gate, 'a list of gates')(node, path, reading);
  if (read?.length === 0) reading.report(path, 'loop/no-signal', noGate);
  return read;
};

export const noGate =
  'nothing outside the agent judges the work; write at least one gate under `verification`, such as `{"type": "command", "name": "tests", "command": "npm test"}`';

/** Each gate is asked each pass, whatever the ones before it found, and has the task's time limit (T-05, T-08). */
export function checkOf(gate: Gate, task: { timeSeconds: number; agent: AgentDefinition }): CheckDefinition {
  const common = {
    timeSeconds: Math.min(task.timeSeconds, defaults.longestCheckSeconds),
    ...present({ name: gate.name }),
  };
  if (gate.kind === 'command') return { kind: 'command', ...common, command: literally(gate.command) };
  const { name = task.agent.name, ...own } = gate.agent;
  const ofTask = name === task.agent.name ? present({ model: task.agent.model, args: task.agent.args }) : {};
  const agent = { ...ofTask, ...own, name };
  return { kind: 'review', ...common, needs: 'always', agent, criterion: literally(gate.prompt) };
}

import { installedAgentNames } from '#core/agent/agent-name.ts';
import type { Definition, StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { literalTemplate } from '#core/template/literal.ts';
import { endCondition } from '#dialects/conditions/end-condition.ts';
import { preCondition } from '#dialects/conditions/pre-condition.ts';
import { hasKey } from '#dialects/native/parts.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Reading } from '#dialects/source/reading.ts';
import { below, mapping } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

/** What the file says for every step. */
export interface Around {
  agent: string;
  settings: { retryPrompt?: string; passRetryPrompt?: string };
}

const stepMapping = mapping({ prompt: text, preCondition, endCondition });

/** The steps, each after the one before it. One that cannot be read keeps its place. */
export function steps(node: SourceNode, around: Around, reading: Reading): Definition['steps'] | undefined {
  if (node.kind !== 'list') return reading.reportType(node, 'steps', 'a list of steps, each with its `prompt`');
  if (node.items.length === 0) {
    reading.report('steps', 'definition/empty', '`steps` is empty; write at least one step with a `prompt`');
    return undefined;
  }
  return node.items.map((item, index) => readStep(item, { index, around, reading }));
}

function readStep(node: SourceNode, at: { index: number; around: Around; reading: Reading }): StepDefinition {
  const { index, around, reading } = at;
  const path = below('steps', String(index));
  const read = stepMapping(node, path, reading) ?? {};
  if (node.kind === 'map' && !hasKey(node, 'prompt')) {
    reading.report(path, 'definition/missing', 'a step needs a `prompt`: what the agent is asked');
  }
  const { prompt = '', preCondition: when, endCondition: end } = read;
  const loop = end?.loopOf({ prompt, settings: around.settings });
  return {
    id: stepId(index),
    name: `Step ${index + 1}`,
    after: index === 0 ? [] : [stepId(index - 1)],
    work: {
      kind: 'agent',
      agent: { name: agentOf(around, index), session: end?.session ?? 'fresh' },
      prompt: literalTemplate(prompt),
    },
    checks: [],
    ...present({ when: when?.when, loop }),
  };
}

/** An agent that cannot be is an issue once, not for every step. */
function agentOf({ agent }: Around, index: number): string {
  const isUsable = agent === 'auto' || installedAgentNames.some((name) => name === agent);
  return isUsable || index === 0 ? agent : 'auto';
}

function stepId(index: number): string {
  return `step-${index + 1}`;
}

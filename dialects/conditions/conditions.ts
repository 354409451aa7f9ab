import type { Definition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { Dialect } from '#dialects/dialect.ts';
import { notRunKeys } from '#dialects/conditions/not-run.ts';
import { pathInFile } from '#dialects/conditions/paths.ts';
import { type Around, steps } from '#dialects/conditions/steps.ts';
import { hasKey } from '#dialects/native/parts.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { ShapeOf } from '#dialects/source/reading.ts';
import { mapping, Reading } from '#dialects/source/reading.ts';
import { integer, number, text } from '#dialects/source/scalars.ts';

const longestMs = 365 * 86_400_000;

const shape = {
  name: text,
  agent: text,
  limits: mapping({ timeout: integer(1, longestMs), maxSpendUsd: number(0.01, 1_000_000) }),
  settings: mapping({ retryPrompt: text, passRetryPrompt: text }),
  steps: (node: SourceNode) => node,
  ...notRunKeys,
} as const;

type FileRead = ShapeOf<typeof shape>;
const fileMapping = mapping(shape);

/** Keys of a list's steps that say what this dialect's steps never say. */
const othersKeys = ['id', 'type', 'dependsOn', 'depends', 'command', 'run', 'harnessId', 'loopBackTo'];

/** C-01: prompts asked one after the other, with scripts before and after them; YAML or JSON. */
export const conditions: Dialect = {
  name: 'conditions',
  fits: (node) => {
    const written = node.kind === 'map' ? node.entries.find(({ key }) => key === 'steps')?.value : undefined;
    if (hasKey(node, 'setpoint') || written?.kind !== 'list') return false;
    if (written.items.some((item) => hasKey(item, 'endCondition') || hasKey(item, 'preCondition'))) return true;
    const foreign = written.items.some((item) => othersKeys.some((key) => hasKey(item, key)));
    return !foreign && written.items.some((item) => hasKey(item, 'prompt'));
  },
  read: (node, options) => {
    const reading = new Reading();
    const read = fileMapping(node, '', reading);
    const asked = read === undefined ? undefined : stepsOf(node, read, reading);
    const definition = asked === undefined ? undefined : definitionOf(read ?? {}, asked, options.name);
    return { issues: reading.issues, ...present({ definition }), pathInDocument: pathInFile };
  },
};

function stepsOf(node: SourceNode, read: FileRead, reading: Reading): Definition['steps'] | undefined {
  if (read.steps !== undefined) {
    const { agent = 'auto', settings = {} } = read;
    const around: Around = { agent, settings };
    return steps(read.steps, around, reading);
  }
  if (!hasKey(node, 'steps')) {
    reading.report('', 'definition/missing', 'a workflow needs `steps`: a list, each with its `prompt`');
  }
  return undefined;
}

function definitionOf(read: FileRead, asked: Definition['steps'], nameOfFile: string | undefined): Definition {
  const { timeout, maxSpendUsd } = read.limits ?? {};
  return {
    ...present({ name: read.name ?? nameOfFile }),
    steps: asked,
    limits: {
      timeSeconds: timeout === undefined ? null : timeout / 1000,
      // A retry that changes nothing counts as any other; only the budgets end a step.
      noProgress: 0,
      ...present({ spendUsd: maxSpendUsd }),
    },
    // The work is done in the checkout itself, where the scripts look (F4).
    workspace: { worktree: false },
    baseline: 'off',
    deliver: { mode: 'none' },
  };
}

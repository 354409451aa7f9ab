import type { Definition, StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { literalTemplate } from '#core/template/literal.ts';
import type { Dialect } from '#dialects/dialect.ts';
import { checks, hasCheckOfKnownType } from '#dialects/exit-checks/checks.ts';
import { unlessNull } from '#dialects/exit-checks/unless-null.ts';
import { notRunKeys } from '#dialects/exit-checks/not-run.ts';
import { pathInFile } from '#dialects/exit-checks/paths.ts';
import { hasKey } from '#dialects/native/parts.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { ShapeOf } from '#dialects/source/reading.ts';
import { mapping, Reading } from '#dialects/source/reading.ts';
import { integer, number, text, word } from '#dialects/source/scalars.ts';

const shape = {
  name: unlessNull(text),
  prompt: text,
  agent: unlessNull(text),
  baseBranch: unlessNull(text),
  exitMode: unlessNull(word(['all', 'any'])),
  checks,
  maxIterations: unlessNull(integer(1, 1_000_000)),
  whenCapHit: unlessNull(word(['pause', 'fail'])),
  maxSpendUsd: unlessNull(number(0.01, 1_000_000)),
  maxTimeMinutes: unlessNull(number(1, 525_600)),
  memory: unlessNull(word(['fresh', 'carry'])),
  ...notRunKeys,
} as const;

type LoopRead = ShapeOf<typeof shape>;
const loopMapping = mapping(shape);

/** What a file that leaves a key out means (docs/guide/coming-from-exit-checks.md). */
const iterations = 10;

/** E-01: one prompt that an agent is given again until its exit checks pass; JSON or YAML. */
export const exitChecks: Dialect = {
  name: 'exit-checks',
  fits: (node) => {
    if (['setpoint', 'task', 'steps'].some((key) => hasKey(node, key))) return false;
    if (['exitMode', 'whenCapHit'].some((key) => hasKey(node, key))) return true;
    return hasKey(node, 'checks') && (hasKey(node, 'prompt') || hasCheckOfKnownType(node));
  },
  read: (node, options) => {
    const reading = new Reading();
    const read = loopMapping(node, '', reading);
    if (read === undefined) return { issues: reading.issues, pathInDocument: pathInFile };
    reportMissing(node, reading);
    const definition = definitionOf(read, options.name);
    return { issues: reading.issues, definition, pathInDocument: pathInFile };
  },
};

function definitionOf(read: LoopRead, nameOfFile: string | undefined): Definition {
  const minutes = read.maxTimeMinutes;
  return {
    ...present({ name: read.name ?? nameOfFile }),
    steps: [workOf(read)],
    limits: {
      // The cap on iterations bounds the loop: without a written time there is none.
      timeSeconds: minutes === undefined ? null : minutes * 60,
      // An iteration that changes nothing counts as any other; only its cap and its budget end a loop.
      noProgress: 0,
      ...present({ spendUsd: read.maxSpendUsd }),
    },
    onExhausted: read.whenCapHit ?? 'pause',
    // E-10: each iteration works in a lane of its own, from the last snapshot.
    workspace: { lane: 'pass', ...present({ base: read.baseBranch }) },
    baseline: 'off',
  };
}

function workOf(read: LoopRead): StepDefinition {
  const { agent = 'auto', prompt = '', memory = 'fresh', maxIterations = iterations } = read;
  const session = memory === 'carry' ? 'resume' : 'fresh';
  return {
    id: 'work',
    after: [],
    work: { kind: 'agent', agent: { name: agent, session }, prompt: literalTemplate(prompt) },
    checks: read.checks ?? [],
    mode: read.exitMode ?? 'all',
    loop: { to: 'work', on: 'fail', limit: maxIterations - 1 },
  };
}

function reportMissing(node: SourceNode, reading: Reading): void {
  if (!hasKey(node, 'prompt')) {
    reading.report('', 'definition/missing', 'a loop needs a `prompt`: what the agent is asked in every iteration');
  }
  if (!hasKey(node, 'checks')) {
    const message = 'a loop needs `checks`: what decides that it is done, such as `{type: test, command: npm test}`';
    reading.report('', 'loop/no-signal', message);
  }
}

import { defaults } from '#core/definition/defaults.ts';
import type { Definition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { Dialect, DialectRead } from '#dialects/dialect.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueAt } from '#dialects/source/node.ts';
import { mapping, optional, Reading } from '#dialects/source/reading.ts';
import { flag, integer, text, word } from '#dialects/source/scalars.ts';
import { literally } from '#dialects/source/template-text.ts';
import { agent, agentOf, codex, twoAgents } from '#dialects/task-file/agent.ts';
import { delivery } from '#dialects/task-file/delivery.ts';
import { checkOf, gates, noGate } from '#dialects/task-file/gates.ts';
import { inDocument } from '#dialects/task-file/paths.ts';

/** T-08. */
const timeoutSeconds = 1800;

const topMapping = mapping({
  name: optional(text),
  goal: text,
  agent: optional(agent),
  codex: optional(codex),
  verification: gates,
  limits: optional(
    mapping({
      maxIterations: optional(integer(1)),
      maxNoProgress: optional(integer(1, 1000)),
      timeoutSeconds: optional(integer(1, 365 * 86_400)),
      maxOutputChars: optional(integer(1, 10_000_000)),
    }),
  ),
  worktree: optional(mapping({ enabled: optional(flag), base: optional(text), keep: optional(flag) })),
  delivery: optional(delivery),
  sessionStrategy: optional(word(['fresh', 'resume'])),
});

type Read = NonNullable<ReturnType<typeof topMapping>>;

/**
 * Task files (T-01), in JSON or YAML 1.2, older ones too (docs/guide/coming-from-task-files.md): one agent that works
 * until every gate passes. What the original does by itself is written into the definition: no baseline, no time limit
 * of the run, each gate asked each pass, nothing delivered.
 */
export const taskFile: Dialect = {
  name: 'task-file',
  fits: (node) =>
    (valueAt(node, 'goal') !== undefined || valueAt(node, 'verification') !== undefined) &&
    ['setpoint', 'task', 'steps'].every((key) => valueAt(node, key) === undefined),
  read,
};

function read(node: SourceNode, options: { name?: string }): DialectRead {
  const reading = new Reading();
  const written = topMapping(node, '', reading);
  const pathInDocument = inDocument(node);
  if (written === undefined) return { issues: reading.issues, pathInDocument };
  reportMissing(node, reading);
  const name = written.name ?? options.name?.replace(/\.task$/, '');
  return {
    definition: { ...present({ name }), ...definitionOf(written, reading) },
    issues: reading.issues,
    pathInDocument,
  };
}

function reportMissing(node: SourceNode, reading: Reading): void {
  const missing = (key: string): boolean => valueAt(node, key) === undefined;
  if (missing('goal')) reading.report('', 'definition/missing', 'a task file needs `goal`: what the agent is to do');
  if (missing('verification')) reading.report('', 'loop/no-signal', noGate);
  if (!missing('agent') && !missing('codex')) reading.report('codex', 'definition/conflict', twoAgents);
}

function definitionOf(written: Read, reading: Reading): Definition {
  const { limits = {}, sessionStrategy: session, verification = [], delivery: deliver } = written;
  const { agent: who, readOnly } = written.agent ?? written.codex ?? agentOf({});
  const timeSeconds = limits.timeoutSeconds ?? timeoutSeconds;
  const agentWithSession = { ...who, ...present({ session }) };
  warnOfTime(timeSeconds, reading);
  const workspace = workspaceOf(written, reading);
  return {
    steps: [
      {
        id: 'work',
        after: [],
        work: { kind: 'agent', agent: agentWithSession, prompt: literally(written.goal ?? '') },
        checks: verification.map((gate) => checkOf(gate, { timeSeconds, agent: who })),
        loop: { to: 'work', on: 'fail' },
        retry: { limit: 0 },
        timeSeconds,
        ...(readOnly ? { readOnly } : {}),
      },
    ],
    limits: {
      passes: limits.maxIterations ?? defaults.passes,
      timeSeconds: null,
      noProgress: limits.maxNoProgress ?? defaults.noProgress,
      ...present({ feedbackChars: limits.maxOutputChars }),
    },
    ...(Object.keys(workspace).length === 0 ? {} : { workspace }),
    baseline: 'off',
    deliver: deliver ?? { mode: 'none' },
  };
}

/** B8 holds for gates too. */
function warnOfTime(timeSeconds: number, reading: Reading): void {
  if (timeSeconds <= defaults.longestCheckSeconds) return;
  const message = `\`timeoutSeconds\` is ${timeSeconds}, and a gate may take ${defaults.longestCheckSeconds} (30 minutes) at most: the agent gets the whole of it, each gate ${defaults.longestCheckSeconds}`;
  reading.warn('limits.timeoutSeconds', 'check/time-too-long', message);
}

function workspaceOf({ worktree = {} }: Read, reading: Reading): NonNullable<Definition['workspace']> {
  const { enabled = true, base = 'HEAD', keep = true } = worktree;
  if (enabled) return { ...(base === 'HEAD' ? {} : { base }), ...(keep ? {} : { afterwards: 'remove' }) };
  if (base !== 'HEAD') {
    const message = '`base` has no effect without a worktree: the run works on what is checked out';
    reading.warn('worktree.base', 'dialect/no-effect', message);
  }
  return { worktree: false };
}

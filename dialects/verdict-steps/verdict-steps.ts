import type { Definition, StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { Dialect, DialectRead } from '#dialects/dialect.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueAt } from '#dialects/source/node.ts';
import type { Field } from '#dialects/source/reading.ts';
import { mapping, optional, Reading } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';
import { inDocument } from '#dialects/verdict-steps/paths.ts';
import { readSteps } from '#dialects/verdict-steps/steps.ts';
import { texts, Values } from '#dialects/verdict-steps/values.ts';

/** Read apart, once it is known what its templates may name. */
const later: Field<SourceNode> = (node) => node;

const topMapping = mapping({
  name: optional(text),
  vars: optional(texts),
  issue: optional(texts),
  baseBranch: optional(text),
  steps: later,
});

/**
 * Steps with verdicts and loop-backs (V-01), in JSON or YAML 1.2 (docs/guide/coming-from-verdict-steps.md). What the
 * original does by itself is written into the definition: no baseline, no stop for want of progress, no time limit
 * of the run, steps in flight kept when a loop fires.
 */
export const verdictSteps: Dialect = { name: 'verdict-steps', fits, read };

/** Keys that no other dialect's step has. */
const ownKeys = ['harnessId', 'dependsOn', 'loopBackTo', 'passPattern', 'failPattern', 'approvalMessage'];
const topKeys = ['vars', 'issue', 'baseBranch'];
const types = ['agent', 'shell', 'approval'];
const foreignKeys = ['run', 'action', 'with', 'depends', 'call', 'script', 'executor', 'preCondition', 'endCondition'];

function fits(node: SourceNode): boolean {
  const steps = valueAt(node, 'steps');
  if (steps?.kind !== 'list' || valueAt(node, 'setpoint') !== undefined) return false;
  return steps.items.some(isOwnStep) || (steps.items.length === 0 && topKeys.some((key) => valueAt(node, key)));
}

function isOwnStep(step: SourceNode): boolean {
  if (foreignKeys.some((key) => valueAt(step, key) !== undefined)) return false;
  if (ownKeys.some((key) => valueAt(step, key) !== undefined)) return true;
  const type = valueAt(step, 'type');
  return type?.kind === 'scalar' && types.includes(type.text) && valueAt(step, 'id') !== undefined;
}

function read(node: SourceNode, options: { name?: string }): DialectRead {
  const reading = new Reading();
  const top = topMapping(node, '', reading) ?? {};
  const values = new Values(top, reading);
  const steps = top.steps === undefined ? undefined : readSteps(top.steps, reading, values);
  if (node.kind === 'map' && top.steps === undefined) {
    reading.report('', 'definition/missing', 'a definition needs `steps`: a list of steps');
  }
  const definition = steps === undefined ? undefined : { ...asOriginal(top, steps, values), ...nameOf(top, options) };
  return { issues: reading.issues, ...present({ definition }), pathInDocument: inDocument(node, steps ?? [], values) };
}

type Top = NonNullable<ReturnType<typeof topMapping>>;

/** The loops of its steps are its only limits, and nothing is judged before the first step. */
function asOriginal({ baseBranch: base }: Top, steps: StepDefinition[], { inputs }: Values): Definition {
  return {
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
    steps,
    limits: { timeSeconds: null, noProgress: 0 },
    ...(base === undefined ? {} : { workspace: { base } }),
    baseline: 'off',
  };
}

function nameOf(top: Top, options: { name?: string }): { name?: string } {
  return present({ name: top.name ?? options.name });
}

import type { Definition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { Dialect } from '#dialects/dialect.ts';
import type { DaguDocument } from '#dialects/dagu/definition.ts';
import { readDag } from '#dialects/dagu/definition.ts';
import { has } from '#dialects/dagu/keys.ts';
import { withoutMergeKeys } from '#dialects/dagu/merge-keys.ts';
import { pathInDag } from '#dialects/dagu/paths.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueAt } from '#dialects/source/node.ts';
import { laterPath } from '#dialects/source/read-yaml.ts';
import { below, Reading } from '#dialects/source/reading.ts';

/**
 * Workflows of Dagu (docs/guide/coming-from-dagu.md), YAML 1.2 with merge keys: the first document is the DAG, later ones
 * are its local children (D-25).
 */
export const dagu: Dialect = {
  name: 'dagu-yaml',
  manyDocuments: true,
  fits,
  read: (node, { name, more = [] }) => {
    const reading = new Reading();
    const first = readDag(withoutMergeKeys(node, '', reading), '', reading);
    const children = more.map((document, index) => readChild(document, index + 1, reading));
    reportTwins(children, reading);
    const definition = first.definition === undefined ? undefined : withChildren(first.definition, children, name);
    return {
      issues: reading.issues,
      ...present({ definition }),
      pathInDocument: (path) => pathIn(first, children, path),
    };
  },
};

type Child = DaguDocument & { name: string };

function readChild(node: SourceNode, index: number, reading: Reading): Child {
  const path = laterPath(index);
  const read = readDag(withoutMergeKeys(node, path, reading), path, reading);
  const name = valueAt(node, 'name');
  if (name?.kind === 'scalar' && name.text !== '') return { ...read, name: name.text };
  const message = 'a document after the first needs a `name`, by which `dag.run` calls it';
  reading.report(path, 'definition/missing', message, node.at);
  return { ...read, name: `document-${index}` };
}

function reportTwins(children: readonly Child[], reading: Reading): void {
  const names = new Set<string>();
  for (const { name, path } of children) {
    if (names.has(name)) {
      const message = `two documents are named \`${name.slice(0, 80)}\`; rename one, so that a call says which it means`;
      reading.report(below(path, 'name'), 'definition/conflict', message);
    }
    names.add(name);
  }
}

function withChildren(definition: Definition, children: readonly Child[], nameOfFile: string | undefined): Definition {
  const read = children.flatMap(({ name, definition: child }) => (child === undefined ? [] : [[name, child] as const]));
  const name = definition.name ?? nameOfFile;
  return { ...definition, ...present({ name }), ...(read.length === 0 ? {} : { children: Object.fromEntries(read) }) };
}

function pathIn(first: DaguDocument, children: readonly Child[], path: string): string {
  const [, name, rest = ''] = /^definitions\.([^.]+)\.?(.*)$/.exec(path) ?? [];
  if (name === undefined) return pathInDag(first, path);
  const child = children.find((each) => each.name === name);
  return child === undefined ? '' : pathInDag(child, rest);
}

const ofRoot = ['working_dir', 'params', 'handler_on', 'dotenv', 'preconditions', 'max_active_steps', 'harness'];
const ofStep = [
  'action',
  'executor',
  'container',
  'command',
  'script',
  'depends',
  'repeat_policy',
  'retry_policy',
  'continue_on',
  'preconditions',
];
const ofOthers = ['prompt', 'dependsOn', 'harnessId', 'preCondition', 'endCondition', 'agent', 'person'];

/** A list of steps that run something; by name only with a key that no other form has. */
function fits(node: SourceNode): boolean {
  if (node.kind !== 'map' || ['setpoint', 'task', 'goal', 'checks'].some((key) => has(node, key))) return false;
  const steps = valueAt(node, 'steps');
  if (steps === undefined || steps.kind === 'scalar') return false;
  const items = steps.kind === 'list' ? steps.items : steps.entries.map(({ value }) => value);
  if (items.some((item) => ofOthers.some((key) => has(item, key)) || isVerdictStep(item))) return false;
  if (items.some((item) => has(item, ...ofStep)) || has(node, ...ofRoot)) return true;
  return steps.kind === 'list' && items.some((item) => item.kind === 'scalar' || has(item, 'run', 'call', 'exec'));
}

function isVerdictStep(item: SourceNode): boolean {
  const type = valueAt(item, 'type');
  return (
    type?.kind === 'scalar' && ['agent', 'shell', 'approval'].includes(type.text) && !has(item, 'action', 'depends')
  );
}

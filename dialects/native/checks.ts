import type { CheckDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueOfNode } from '#dialects/source/node.ts';
import type { Field, Reading, ShapeOf } from '#dialects/source/reading.ts';
import { listOf, mapping, oneOrMore } from '#dialects/source/reading.ts';
import { integer, text, textOrEmpty, word } from '#dialects/source/scalars.ts';
import type { At } from '#dialects/native/at.ts';
import { report, review, reviewCheck } from '#dialects/native/opinions.ts';
import { evidence } from '#dialects/native/evidence.ts';
import { outputOf } from '#dialects/native/output-of.ts';
import { hasKey, time } from '#dialects/native/parts.ts';

const inline: Field<Record<string, unknown>> = (node, path, reading) => {
  if (node.kind !== 'map') return reading.reportType(node, path, 'a JSON Schema');
  return valueOfNode(node) as Record<string, unknown>;
};

const shape = {
  name: text,
  needs: word(['always', 'passed']),
  time,
  run: text,
  where: word(['workspace', 'commit']),
  expect: mapping({ exit: integer(0, 255) }),
  match: mapping({ of: outputOf, pass: textOrEmpty, fail: textOrEmpty }),
  schema: mapping({ of: outputOf, file: text, inline }),
  evidence,
  provide: oneOrMore(text, 'a list of ignored paths'),
  review,
  report,
} as const;

const kinds = ['run', 'match', 'schema', 'review', 'report'] as const;
const checkMapping = mapping(shape);

/** A command, or a mapping with exactly one of `run`, `match`, `schema`, `review`, `report`. */
const check: Field<CheckDefinition> = (node, path, reading) => {
  if (node.kind === 'scalar') {
    const command = text(node, path, reading);
    return command === undefined ? undefined : { kind: 'command', command };
  }
  const read = checkMapping(node, path, reading);
  if (read === undefined) return undefined;
  const written = kinds.filter((kind) => hasKey(node, kind));
  if (written.length !== 1) {
    const found = written.length === 0 ? 'none' : written.map((kind) => `\`${kind}\``).join(' and ');
    const message = `a check has exactly one of \`run\`, \`match\`, \`schema\`, \`review\`, \`report\`; this one has ${found}`;
    reading.report(path, written.length === 0 ? 'definition/missing' : 'definition/conflict', message);
    return undefined;
  }
  reportMisplaced(node, path, reading);
  return checkOf(read, node, { path, reading });
};

function checkOf(read: ShapeOf<typeof shape>, node: SourceNode, at: At): CheckDefinition | undefined {
  const common = present({ name: read.name, needs: read.needs, timeSeconds: read.time });
  if (read.run !== undefined) {
    const { evidence, provide, where } = read;
    const rest = present({ expectExit: read.expect?.exit, where, provide, evidence });
    return { kind: 'command', command: read.run, ...common, ...rest };
  }
  if (read.match !== undefined) return { kind: 'match', ...common, ...read.match };
  if (read.review !== undefined) return reviewCheck(read.review, common, at);
  if (read.report !== undefined) return { kind: 'report', ...common, ...read.report };
  return read.schema === undefined ? undefined : schemaCheck(read.schema, { ...at, node, common });
}

/** These keys say something about a command only. */
function reportMisplaced(node: SourceNode, path: string, reading: Reading): void {
  if (hasKey(node, 'run')) return;
  for (const key of ['expect', 'where', 'evidence', 'provide']) {
    if (!hasKey(node, key)) continue;
    reading.report(`${path}.${key}`, 'definition/conflict', `\`${key}\` belongs to a check with \`run\`; remove it`);
  }
}

function schemaCheck(
  read: ShapeOf<{ of: Field<string>; file: Field<string>; inline: Field<Record<string, unknown>> }>,
  at: {
    node: SourceNode;
    path: string;
    reading: Reading;
    common: { name?: string; needs?: 'always' | 'passed'; timeSeconds?: number };
  },
): CheckDefinition | undefined {
  const of = present({ of: read.of });
  if (read.file !== undefined && read.inline !== undefined) {
    at.reading.report(
      `${at.path}.schema`,
      'definition/conflict',
      'a schema comes from `file` or `inline`, not from both',
    );
    return undefined;
  }
  if (read.file !== undefined) return { kind: 'schema', ...at.common, ...of, schema: { file: read.file } };
  if (read.inline !== undefined) return { kind: 'schema', ...at.common, ...of, schema: { inline: read.inline } };
  const schema = at.node.kind === 'map' ? at.node.entries.find((entry) => entry.key === 'schema')?.value : undefined;
  if (schema !== undefined && !hasKey(schema, 'file') && !hasKey(schema, 'inline')) {
    at.reading.report(`${at.path}.schema`, 'definition/missing', 'a `schema` check needs `file` or `inline`');
  }
  return undefined;
}

/** Checks in written order. One that cannot be read keeps its place, so that paths of the others stay right. */
export const checks: Field<CheckDefinition[]> = (node, path, reading) => {
  const placed: Field<CheckDefinition> = (item, at, into) => check(item, at, into) ?? unread(at);
  return listOf(placed, 'a list of checks')(node, path, reading);
};

/** Stands for a check that has issues, which keep the definition from ever being run. */
function unread(path: string): CheckDefinition {
  return { kind: 'command', name: path, command: ':' };
}

import { mappingOf } from '#dialects/dagu/keys.ts';
import type { Written } from '#dialects/dagu/values.ts';
import { refersToValue, written } from '#dialects/dagu/values.ts';
import type { NamedStep, Published } from '#dialects/dagu/found.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { valueOfNode } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';
import { text, word } from '#dialects/source/scalars.ts';

/** `output` of a step: the variable that holds its stdout, and what it publishes by name. */
export interface OutputWritten {
  variable?: string;
  published: NamedStep['published'];
}

const namedMapping = mappingOf({ shape: { name: text, key: text }, aside: ['omit'] });

/** `RESULT`, `{name: RESULT, key}`, or entries by name, each a text or a value in the JSON of stdout. */
export const output: Field<OutputWritten> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const name = text(node, path, reading);
    return name === undefined ? undefined : named(name, path, reading);
  }
  if (isNamed(node)) {
    const read = namedMapping(node, path, reading);
    if (read?.name === undefined) return undefined;
    const { key } = read;
    const published = new Map(key === undefined ? [] : [[key, { whole: true } as const]]);
    return { ...named(read.name, path, reading), published };
  }
  const published = new Map<string, Published>();
  for (const { key, value } of node.entries) {
    const entry = entryOf(value, below(path, key), reading);
    if (entry !== undefined) published.set(key, entry);
  }
  return { published };
};

function isNamed(node: Extract<SourceNode, { kind: 'map' }>): boolean {
  const name = node.entries.find(({ key }) => key === 'name')?.value;
  return name?.kind === 'scalar' && node.entries.every(({ key }) => ['name', 'key', 'omit'].includes(key));
}

function named(written_: string, path: string, reading: Reading): OutputWritten {
  const variable = written_.replace(/^\$\{?(\w+)\}?$/, '$1');
  if (/^[A-Za-z_]\w*$/.test(variable)) return { variable, published: new Map() };
  const message = `\`${variable.slice(0, 80)}\` cannot name an environment variable; use letters, digits and \`_\`, not starting with a digit`;
  reading.report(path, 'env/bad-name', message);
  return { published: new Map() };
}

const structuredKeys = ['value', 'from', 'path', 'decode', 'select'];

const structuredMapping = mappingOf({
  shape: {
    from: word(['stdout', 'stderr', 'file']),
    decode: word(['text', 'json', 'yaml']),
    select: text,
  },
  notRun: { path: 'print the file in the command, so that it is stdout' },
});

function entryOf(node: SourceNode, path: string, reading: Reading): Published | undefined {
  const isStructured = node.kind === 'map' && node.entries.some(({ key }) => structuredKeys.includes(key));
  if (!isStructured) return fixed(node, path, reading);
  const value = node.entries.find(({ key }) => key === 'value')?.value;
  if (value !== undefined) return fixed(value, below(path, 'value'), reading);
  const read = structuredMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (read.from !== 'stdout') {
    const message = '`from` reads stdout here; print what is to be published';
    reading.report(below(path, 'from'), 'dialect/not-run', message);
    return undefined;
  }
  if (read.decode === 'yaml') {
    reading.report(below(path, 'decode'), 'dialect/not-run', '`decode: yaml` is not run by Setpoint; print JSON');
    return undefined;
  }
  return read.select === undefined ? { whole: true } : picked(read.select, below(path, 'select'), reading);
}

function picked(select: string, path: string, reading: Reading): { path: string } | undefined {
  const keys = select.replaceAll(/\[(\d+)\]/g, '.$1').replace(/^\$?\./, '');
  if (/^[\w-]+(?:\.[\w-]+)*$/.test(keys)) return { path: keys };
  const message = `\`select\` takes a path such as \`.image.tag\` or \`.items[0]\`, not \`${select.slice(0, 80)}\``;
  reading.report(path, 'output/bad-path', message);
  return undefined;
}

/** A text may refer to values; one within a list or a mapping is not looked for. */
function fixed(node: SourceNode, path: string, reading: Reading): Published | undefined {
  if (node.kind === 'scalar') return { written: { text: node.text, path } };
  const text = JSON.stringify(valueOfNode(node));
  if (!refersToValue(text)) return { written: { text, path } };
  const message = 'a list or a mapping with references is not run by Setpoint; refer to the values themselves';
  reading.report(path, 'dialect/not-run', message);
  return undefined;
}

/** Where a stream goes: a file of the working folder, or one of the folder of artifacts. */
export interface Stream {
  file?: Written;
  artifact?: string;
}

const streamMapping = mappingOf({
  shape: { artifact: text },
  notRun: { outputs: 'print JSON and read it as `${steps.ID.outputs.NAME}` by `output`' },
});

export const stream: Field<Stream> = (node, path, reading) => {
  if (node.kind !== 'map') {
    const file = written(node, path, reading);
    return file === undefined ? undefined : { file };
  }
  const { artifact } = streamMapping(node, path, reading) ?? {};
  if (artifact === undefined) return undefined;
  if (!refersToValue(artifact)) return { artifact };
  const message = '`artifact` is a name that is fixed in the file; write it in place of the reference';
  reading.report(below(path, 'artifact'), 'dialect/not-run', message);
  return undefined;
};

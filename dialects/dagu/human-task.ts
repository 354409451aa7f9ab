import { has, mappingOf } from '#dialects/dagu/keys.ts';
import type { Written } from '#dialects/dagu/values.ts';
import { written, writtenList } from '#dialects/dagu/values.ts';
import { valueOfNode } from '#dialects/source/node.ts';
import type { Field } from '#dialects/source/reading.ts';

/** `action: human.task` as it is written. */
export interface HumanWritten {
  prompt: Written;
  form?: Record<string, unknown>;
  artifacts: Written[];
  pushBack?: { to: Written; form?: Record<string, unknown> };
}

/** A JSON Schema of an object; what it does not name is refused, as by Dagu. */
const form: Field<Record<string, unknown>> = (node, path, reading) => {
  if (node.kind !== 'map') return reading.reportType(node, path, 'a JSON Schema of an object');
  const schema = Object.fromEntries(node.entries.map(({ key, value }) => [key, valueOfNode(value)]));
  return { properties: {}, additionalProperties: false, ...schema };
};

const pushBackMapping = mappingOf({ shape: { rewind_to: written, form } });

const taskMapping = mappingOf({ shape: { prompt: written, form, artifacts: writtenList, push_back: pushBackMapping } });

export const humanTask: Field<HumanWritten> = (node, path, reading) => {
  const read = taskMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (!has(node, 'prompt')) reading.report(path, 'definition/missing', '`human.task` needs `prompt`: what is asked');
  const { prompt, push_back: back } = read;
  const to = back?.rewind_to;
  if (back !== undefined && to === undefined) {
    const message = '`push_back` needs `rewind_to`: the step that the work goes back to';
    reading.report(`${path}.push_back`, 'definition/missing', message);
  }
  if (prompt === undefined) return undefined;
  return {
    prompt,
    artifacts: read.artifacts ?? [],
    ...(read.form === undefined ? {} : { form: read.form }),
    ...(to === undefined ? {} : { pushBack: { to, ...(back?.form === undefined ? {} : { form: back.form }) } }),
  };
};

/** The fields of a form, which later steps read by name. */
export function fieldsOf({ form: schema }: HumanWritten): string[] {
  const properties = schema?.['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

import { nearest } from '#core/issue/nearest.ts';

import { CliFailure, exitCodes } from '#cli/failure.ts';
import { type FormField, formFields, type FormSchema } from '#cli/form/form-fields.ts';

/**
 * What `--set NAME=VALUE` gives, read by the types of the form's fields; a list is given by repeating. Throws with exit code
 * 2 and the name of the field for what cannot be of its type.
 */
export function setValues(schema: FormSchema | undefined, given: readonly string[]): Record<string, unknown> {
  if (given.length === 0) return {};
  if (schema === undefined) throw usage('the task has no form', 'leave --set out; --message says something');
  const fields = formFields(schema);
  const texts = new Map<string, string[]>();
  for (const entry of given) {
    const at = entry.indexOf('=');
    if (at < 1) throw usage(`--set ${entry} has no value`, 'write --set NAME=VALUE');
    const name = entry.slice(0, at);
    texts.set(name, [...(texts.get(name) ?? []), entry.slice(at + 1)]);
  }
  const isOpen = schema['additionalProperties'] !== false;
  return Object.fromEntries(
    [...texts].map(([name, values]) => [name, valueOf(fieldNamed(fields, name, isOpen), values)]),
  );
}

function fieldNamed(fields: readonly FormField[], name: string, isOpen: boolean): FormField {
  const known = fields.find((field) => field.name === name);
  if (known !== undefined) return known;
  const other = { required: false, values: [], default: undefined, description: undefined };
  if (isOpen) return { name, types: [], memberTypes: [], ...other };
  const names = fields.map((field) => field.name);
  const meant = nearest(name, names);
  const remedy = meant === undefined ? `its fields are ${names.join(', ')}` : `did you mean ${meant}?`;
  throw usage(`the form has no field ${name}`, remedy);
}

function valueOf(field: FormField, texts: readonly string[]): unknown {
  if (field.types.includes('array')) return texts.map((text) => read(field.name, field.memberTypes, text));
  const [text = '', ...more] = texts;
  if (more.length > 0) throw usage(`${field.name} is given more than once`, 'only a list takes several values');
  const value = field.values.find((allowed) => allowed === text || JSON.stringify(allowed) === text);
  if (value !== undefined) return value;
  return read(field.name, field.types, text);
}

/** The first type that the text can be of; any text is a string. */
function read(name: string, types: readonly string[], text: string): unknown {
  if (types.length === 0) return text;
  for (const type of [...types].toSorted(stringsLast)) {
    const value = readAs(type, text);
    if (value !== undefined) return value;
  }
  throw usage(`${name} must be ${types.map((type) => words[type] ?? type).join(' or ')}, and \`${text}\` is not`);
}

const stringsLast = (a: string, b: string): number => Number(a === 'string') - Number(b === 'string');

const words: Readonly<Record<string, string>> = {
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a JSON list',
  null: 'null',
};

/** Undefined when the text is none. */
function readAs(type: string, text: string): unknown {
  switch (type) {
    case 'string':
      return text;
    case 'number':
    case 'integer': {
      const value = Number(text);
      const isOne = text.trim() !== '' && (type === 'number' ? Number.isFinite(value) : Number.isSafeInteger(value));
      return isOne ? value : undefined;
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'null':
      return text === 'null' ? null : undefined;
    default:
      return json(text);
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON is not of the type; the failure names the field.
    return undefined;
  }
}

function usage(message: string, remedy?: string): CliFailure {
  return new CliFailure(exitCodes.usage, message, remedy === undefined ? {} : { remedy });
}

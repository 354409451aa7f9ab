import { z } from 'zod';

import { nearest } from '#core/issue/nearest.ts';

/** What is wrong with a form: `path` into it, dotted. */
export interface FormProblem {
  path: string;
  message: string;
}

/** As many as a person could use. */
const mostProblems = 20;

/**
 * What is wrong in the shape of a form, a JSON Schema (2020-12) of an object. Unknown keywords are wrong: they would be
 * left out when an answer is checked. Whether it can be compiled is judged where answers are.
 */
export function formProblems(form: unknown): FormProblem[] {
  const read = Form.safeParse(form);
  return read.success ? [] : read.error.issues.flatMap(problemsOf).slice(0, mostProblems);
}

const count = z.number().int().min(0);
const text = z.string();
const word = z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

const keywords = {
  $schema: z.literal('https://json-schema.org/draft/2020-12/schema', 'must be that of draft 2020-12').optional(),
  $ref: z.string().startsWith('#', 'must point into the form itself, such as `#/$defs/name`').optional(),
  $comment: text.optional(),
  title: text.optional(),
  description: text.optional(),
  default: z.unknown().optional(),
  examples: z.array(z.unknown()).optional(),
  deprecated: z.boolean().optional(),
  type: z.union([word, z.array(word).min(1)]).optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  const: z.unknown().optional(),
  format: text.optional(),
  pattern: text.refine(isPattern, 'must be a regular expression').optional(),
  minLength: count.optional(),
  maxLength: count.optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().positive().optional(),
  minItems: count.optional(),
  maxItems: count.optional(),
  uniqueItems: z.boolean().optional(),
  minProperties: count.optional(),
  maxProperties: count.optional(),
  required: z.array(text).optional(),
  dependentRequired: z.record(text, z.array(text)).optional(),
};

const part: z.ZodType<unknown> = z.lazy(() => z.union([z.boolean(), z.strictObject(shape)]));
const parts = z.record(text, part);

const shape = {
  ...keywords,
  $defs: parts.optional(),
  properties: parts.optional(),
  patternProperties: parts.optional(),
  dependentSchemas: parts.optional(),
  additionalProperties: part.optional(),
  unevaluatedProperties: part.optional(),
  propertyNames: part.optional(),
  items: part.optional(),
  unevaluatedItems: part.optional(),
  prefixItems: z.array(part).min(1).optional(),
  contains: part.optional(),
  minContains: count.optional(),
  maxContains: count.optional(),
  allOf: z.array(part).min(1).optional(),
  anyOf: z.array(part).min(1).optional(),
  oneOf: z.array(part).min(1).optional(),
  not: part.optional(),
  if: part.optional(),
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema; nothing awaits a shape
  then: part.optional(),
  else: part.optional(),
};

const Form = z
  .strictObject({ ...shape, type: z.literal('object', 'must be `object`: a form is filled in by names').optional() })
  .check(({ value, issues }) => {
    if (value.additionalProperties !== false) return;
    for (const [index, name] of (value.required ?? []).entries()) {
      if (Object.hasOwn(value.properties ?? {}, name)) continue;
      const message = `requires \`${name}\`, which is not among its \`properties\``;
      issues.push({ code: 'custom', message, path: ['required', index], input: name });
    }
  });

type Found = z.core.$ZodIssue;

/** Of a schema that is neither `true` nor `false` nor right, what is wrong with the mapping is worth saying. */
function problemsOf(found: Found): FormProblem[] {
  const path = found.path.map(String).join('.');
  if (found.code === 'invalid_union') {
    const inside = found.errors.at(-1) ?? [];
    return inside.flatMap((each) => problemsOf({ ...each, path: [...found.path, ...each.path] }));
  }
  if (found.code === 'unrecognized_keys') return found.keys.map((key) => unknownKeyword(path, key));
  return [{ path, message: found.message }];
}

function unknownKeyword(path: string, key: string): FormProblem {
  const meant = nearest(key, Object.keys(shape));
  const hint = meant === undefined ? '' : `; did you mean \`${meant}\`?`;
  return { path: path === '' ? key : `${path}.${key}`, message: `has the unknown keyword \`${key}\`${hint}` };
}

function isPattern(pattern: string): boolean {
  try {
    // Only the constructor's judgement is wanted; the expression itself is never run here.
    return new RegExp(pattern, 'u').unicode;
  } catch {
    return false;
  }
}

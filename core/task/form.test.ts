import { describe, expect, test } from 'vitest';

import { formProblems } from '#core/task/form.ts';

describe('D2: a form', () => {
  test.each([
    {},
    { type: 'object', properties: {} },
    { properties: { risk: { type: 'string', enum: ['low', 'high'] }, count: { type: ['integer', 'null'] } } },
    { properties: { files: { type: 'array', items: { $ref: '#/$defs/file' } } }, $defs: { file: { type: 'string' } } },
    { properties: { any: true }, additionalProperties: false, required: ['any'] },
    { required: ['later'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    { if: { required: ['a'] }, then: { required: ['b'] }, anyOf: [{ not: {} }] },
  ])('is right: %j', (form) => {
    expect(formProblems(form)).toEqual([]);
  });

  test.each([
    ['no object', { type: 'string' }, 'type'],
    ['an unknown type', { properties: { a: { type: 'text' } } }, 'properties.a.type'],
    ['an unknown keyword', { properties: { a: { tpye: 'string' } } }, 'properties.a.tpye'],
    ['an empty list of values', { properties: { a: { enum: [] } } }, 'properties.a.enum'],
    ['a schema that is text', { properties: { a: 'string' } }, 'properties.a'],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }, 'properties.a.pattern'],
    ['a reference to elsewhere', { properties: { a: { $ref: 'https://example.org/a' } } }, 'properties.a.$ref'],
    ['a name that nothing describes', { required: ['a'], additionalProperties: false }, 'required.0'],
    [
      'something wrong deep inside',
      { allOf: [{ properties: { a: { minLength: -1 } } }] },
      'allOf.0.properties.a.minLength',
    ],
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, '$schema'],
  ])('%s is told at its place', (_what, form, path) => {
    expect(formProblems(form).map((problem) => problem.path)).toEqual([path]);
  });

  test('the keyword that is meant is named', () => {
    expect(formProblems({ properties: { a: { tpye: 'string' } } })[0]?.message).toBe(
      'has the unknown keyword `tpye`; did you mean `type`?',
    );
  });
});

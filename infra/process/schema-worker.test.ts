import { expect, test } from 'vitest';
import { schemaFlaws, validateJson } from '#infra/process/schema-worker.ts';

const form = {
  type: 'object',
  properties: {
    risk: { enum: ['low', 'high'] },
    replicas: { type: 'integer', default: 2 },
    'a/b': { type: 'object', properties: { c: { type: 'string' } } },
  },
  required: ['risk'],
  additionalProperties: false,
};
const validate = (value: unknown, fill: boolean) => validateJson(JSON.stringify(form), JSON.stringify(value), { fill });

test('D2: defaults fill what is left out, only where it is asked for', async () => {
  expect(await validate({ risk: 'low' }, true)).toEqual({ kind: 'valid', value: { risk: 'low', replicas: 2 } });
  expect(await validate({ risk: 'low' }, false)).toEqual({ kind: 'valid', value: { risk: 'low' } });
});

test('D2: every problem names its field', async () => {
  const outcome = await validate({ replicas: 'two', 'a/b': { c: 1 }, extra: true }, true);
  expect(outcome.kind === 'invalid' ? outcome.problems : outcome).toEqual([
    { path: 'risk', message: 'is missing' },
    { path: 'extra', message: 'is not asked for' },
    { path: 'replicas', message: 'must be integer' },
    { path: 'a/b.c', message: 'must be string' },
  ]);
  const other = await validate({ risk: 'none' }, true);
  expect(other).toMatchObject({ problems: [{ path: 'risk', message: 'must be "low" or "high"' }] });
});

test('decision 2: a schema that takes too long on a value is given up', async () => {
  const slow = { properties: { x: { pattern: '^(a+)+$' } } };
  const value = { x: `${'a'.repeat(40)}!` };
  expect(await validateJson(JSON.stringify(slow), JSON.stringify(value))).toEqual({ kind: 'timeout' });
});

test('a schema that cannot be used tells why, before anything is held against it', async () => {
  const flaws = await schemaFlaws([form, { $ref: '#/$defs/gone' }, { type: 'text' }].map((one) => JSON.stringify(one)));
  expect(flaws).toEqual([null, expect.stringContaining('gone'), expect.stringContaining('type')]);
});

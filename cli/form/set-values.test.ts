import { expect, test } from 'vitest';

import { CliFailure } from '#cli/failure.ts';
import { setValues } from '#cli/form/set-values.ts';

const schema = {
  type: 'object',
  properties: {
    risk: { enum: ['low', 'high', 3] },
    name: { type: 'string' },
    count: { type: 'integer' },
    share: { type: 'number' },
    ok: { type: 'boolean' },
    areas: { type: 'array', items: { type: 'string' } },
    ports: { type: 'array', items: { type: 'integer' } },
    extra: { type: 'object' },
    maybe: { type: ['string', 'null', 'integer'] },
    any: {},
  },
  additionalProperties: false,
};

test('values are read by the types of the fields, a list by repeating', () => {
  const given = [
    'risk=3',
    'name=12',
    'count=12',
    'share=0.5',
    'ok=false',
    'areas=a=b',
    'ports=1',
    'ports=2',
    'areas=12',
    'extra={"a":1}',
    'maybe=null',
    'any=7',
  ];
  expect(setValues(schema, given)).toEqual({
    risk: 3,
    name: '12',
    count: 12,
    share: 0.5,
    ok: false,
    areas: ['a=b', '12'],
    ports: [1, 2],
    extra: { a: 1 },
    maybe: null,
    any: '7',
  });
  expect(setValues(schema, ['maybe=7'])).toEqual({ maybe: 7 });
  expect(setValues({ type: 'object' }, ['new=x'])).toEqual({ new: 'x' });
  expect(setValues(undefined, [])).toEqual({});
});

test.each([
  ['count=many', 'count must be a whole number'],
  ['count=1.5', 'count must be a whole number'],
  ['count=', 'count must be a whole number'],
  ['ok=yes', 'ok must be true or false'],
  ['extra={', 'extra must be a JSON object'],
  ['ports=x', 'ports must be a whole number'],
  ['rsik=low', 'the form has no field rsik'],
  ['=low', '--set =low has no value'],
  ['risk', '--set risk has no value'],
])('%s is refused by name', (given, message) => {
  expect(() => setValues(schema, [given])).toThrow(CliFailure);
  expect(() => setValues(schema, [given])).toThrow(message);
});

test('a field that is no list is given once, and a task without a form takes none', () => {
  expect(() => setValues(schema, ['name=a', 'name=b'])).toThrow('name is given more than once');
  expect(() => setValues(undefined, ['name=a'])).toThrow('the task has no form');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { Plan } from '#core/plan/plan.ts';
import { compileText, compileValue } from '#dialects/parse.ts';

const keys = fc.constantFrom(
  ...'steps id name depends run command script action with prompt provider form push_back rewind_to'.split(' '),
  ...'artifacts dag params parallel items env output outputs stdout artifact repeat_policy repeat condition'.split(' '),
  ...'expected limit retry_policy exit_code preconditions continue_on handler_on exit success harness <<'.split(' '),
  ...'working_dir dotenv schedule labels consts shell defaults type init output_schema select from'.split(' '),
);
const texts = [
  'harness.run human.task dag.run exec codex until a b chain . /srv/app ${params.a} ${a.output.x} $(date) {{x}}',
  "re:[ num:1 it's A=1 ${b.stdout} ${ITEM} ${context.run.id}",
];
const words = fc.constantFrom('', ...texts.join(' ').split(' '));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    words,
    fc.integer({ min: -1, max: 300 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
}));
/** Steps that say what they do, so that more than their shape is looked at. */
const step = fc
  .tuple(fc.constantFrom('run', 'command', 'call'), words, value)
  .map(([key, work, more]) => ({ ...(typeof more === 'object' ? more : {}), [key]: work }));
const dag = fc
  .tuple(value, fc.array(step, { minLength: 1, maxLength: 4 }))
  .map(([more, steps]) => ({ ...(typeof more === 'object' && !Array.isArray(more) ? more : {}), steps }));

test('whatever is written is compiled or refused, and a plan always fits its schema', () => {
  fc.assert(
    fc.property(fc.oneof(dag, value), (written) => {
      const compiled = compileValue(written, { dialect: 'dagu-yaml', unknownCalls: 'warning' });
      if (compiled.kind === 'plan') expect(Plan.parse(compiled.plan)).toEqual(compiled.plan);
      else expect(compiled.issues.length).toBeGreaterThan(0);
    }),
    { numRuns: 1500 },
  );
});

test('as text it is the same', () => {
  fc.assert(
    fc.property(dag, (written) => {
      const compiled = compileText({ text: JSON.stringify(written), dialect: 'dagu-yaml', unknownCalls: 'warning' });
      const expected = compileValue(written, { dialect: 'dagu-yaml', unknownCalls: 'warning' });
      expect(compiled.kind).toBe(expected.kind);
    }),
    { numRuns: 300 },
  );
});

import { describe, expect, test } from 'vitest';

import type { StepDefinition } from '#core/definition/definition.ts';
import { checkSize, mostInputBytes, mostPlanBytes, stepBytes } from '#core/plan/check-size.ts';
import { compile } from '#core/plan/compile.ts';
import { resolveInputs } from '#core/plan/inputs.ts';
import type { Plan } from '#core/plan/plan.ts';
import { utf8 } from '#core/text/secret-forms.ts';
import { utf8Bytes } from '#core/text/utf8-bytes.ts';

const run = (id: string, command: string): StepDefinition => ({
  id,
  after: [],
  work: { kind: 'run', command },
  checks: [],
});
const planOf = (...steps: StepDefinition[]): Plan => {
  const compiled = compile({ steps });
  return compiled.kind === 'plan' ? compiled.plan : expect.fail(JSON.stringify(compiled.issues));
};
const issuesOf = (...steps: StepDefinition[]) => {
  const compiled = compile({ steps });
  return compiled.kind === 'plan' ? [] : compiled.issues;
};
const size = (value: unknown): number => utf8(JSON.stringify(value)).length;
/** How many characters a command may have until the plan is at its limit. */
const room = mostPlanBytes - stepBytes - size(planOf(run('a', 'x'))) + 1;

describe('A plan that the engine could not carry', () => {
  test('is one byte too large, and the message names its largest part', () => {
    expect(size(planOf(run('a', 'x'.repeat(room))))).toBe(mostPlanBytes - stepBytes);
    const [issue, ...more] = issuesOf(run('a', 'x'.repeat(room + 1)));
    expect(more).toEqual([]);
    expect(issue).toMatchObject({ path: 'steps.a', code: 'definition/too-large', severity: 'error' });
    expect(issue?.message).toContain('weighs 3073 KiB');
    expect(issue?.message).toContain('most is step `a`');
  });

  test('may have a thousand steps', () => {
    const steps = Array.from({ length: 1000 }, (_, index) => run(`step-${index}`, 'npm test -- --run'));
    expect(issuesOf(...steps)).toEqual([]);
  });

  test('is measured in bytes of JSON, not in characters', () => {
    expect(issuesOf(run('a', '€'.repeat(Math.ceil(room / 3) + 1)))).toHaveLength(1);
    expect(issuesOf(run('a', '"'.repeat(room / 2 + 1)))).toHaveLength(1);
    for (const text of ['abc', 'é€😀', '\uD83D', '']) expect(utf8Bytes(text)).toBe(utf8(text).length);
  });

  test('counts what it calls, as often as that is called', () => {
    const call = (id: string, definition: string): StepDefinition => {
      return { id, after: [], work: { kind: 'call', definition }, checks: [] };
    };
    const leaf = { steps: [run('x', 'x'.repeat(300 * 1024))] };
    const of = (...called: string[]) => {
      const children = Object.fromEntries(called.map((name) => [name, { steps: [call('x', 'leaf')] }]));
      const own = run('own', 'x'.repeat(2_400 * 1024));
      return compile({
        steps: [own, ...called.map((name) => call(`s${name}`, name))],
        children: { ...children, leaf },
      });
    };
    expect(of('one', 'two').kind).toBe('plan');
    expect(of('one', 'two', 'three')).toMatchObject({ issues: [{ code: 'definition/too-large' }] });
  });

  test('may be the fault of its labels', () => {
    const labels = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(40_000, 'x'));
    const [issue] = checkSize({ ...planOf(run('a', 'x')), labels });
    expect(issue).toMatchObject({ path: '', code: 'definition/too-large' });
    expect(issue?.message).toContain('most is what it says beside its steps');
  });
});

test('inputs that are too large together are refused, the largest by name', () => {
  const inputs = Object.fromEntries(['a', 'b'].map((name) => [name, { type: 'string' as const, required: true }]));
  const half = 'x'.repeat(mostInputBytes / 2 - 2);
  expect(resolveInputs({ inputs }, { a: half, b: half }).kind).toBe('inputs');
  expect(resolveInputs({ inputs }, { a: half, b: `${half}€` })).toMatchObject({
    issues: [{ path: 'inputs.b', code: 'input/too-large', message: expect.stringContaining('257 KiB') }],
  });
});

import { describe, expect, test } from 'vitest';

import type { SeatInput } from '#core/contract/seat.ts';
import type { StepDefinition } from '#core/definition/definition.ts';
import { checkSize, mostInputBytes, mostPlanBytes, stepBytes } from '#core/plan/check-size.ts';
import { compile } from '#core/plan/compile.ts';
import { resolveInputs } from '#core/plan/inputs.ts';
import type { Plan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import { initialState, initialStep } from '#core/run/state.ts';
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
    expect(issue?.message).toContain('weighs 513 KiB');
    expect(issue?.message).toContain('most is step `a`');
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
    const leaf = { steps: [run('x', 'x'.repeat(200 * 1024))] };
    const twice = { one: { steps: [call('x', 'leaf')] }, two: { steps: [call('x', 'leaf')] }, leaf };
    const three = { ...twice, three: { steps: [call('x', 'leaf')] } };
    const of = (children: Record<string, { steps: StepDefinition[] }>, ...names: string[]) =>
      compile({ steps: names.map((name) => call(`s${name}`, name)), children });
    expect(of(twice, 'one', 'two').kind).toBe('plan');
    expect(of(three, 'one', 'two', 'three')).toMatchObject({ issues: [{ code: 'definition/too-large' }] });
  });

  test('may be the fault of its labels', () => {
    const labels = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(6_000, 'x'));
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

/** As much as the state keeps of a step that has ended, short of long lists of findings. */
const result: AttemptResult = {
  end: { kind: 'ok' },
  output: { sha256: 'f'.repeat(64), bytes: 1e6, excerpt: 'x'.repeat(2048) },
  fingerprint: 'f'.repeat(64),
  snapshot: { commit: 'f'.repeat(40), tree: 'f'.repeat(40), head: 'f'.repeat(40) },
  spend: { usd: 1, estimated: false, inputTokens: 1e6, outputTokens: 1e6 },
  findings: [],
  durationMs: 1e6,
};

test.each([
  ['one step with a long text', [run('a', 'x'.repeat(room))]],
  ['many steps', Array.from({ length: 400 }, (_, index) => run(`step-${index}`, 'make'))],
])('E3: what a run of the largest plan hands over after an edit is what the engine carries: %s', (_what, steps) => {
  const before = planOf(...steps);
  const began = initialState(before);
  const done = { ...initialStep, phase: 'attempted' as const, begun: 1, attempt: 1, result, resultPass: 1 };
  const state = { ...began, steps: Object.fromEntries(before.steps.map(({ id }) => [id, done])) };
  const edited = { ...before, limits: { ...before.limits, noProgress: 9 } };
  const edit = { type: 'run.edited' as const, at: 2, messageId: 'edit-1', revision: 2, plan: edited };
  const seat: SeatInput = {
    runId: 'run_1',
    seat: 1,
    plan: before,
    inputs: { text: 'x'.repeat(mostInputBytes) },
    resume: { state: apply(before, state, edit), seq: 2, reason: 'continued' },
  };
  expect(size(seat)).toBeGreaterThan(1.5 * 1024 * 1024);
  expect(size(seat)).toBeLessThan(2 * 1024 * 1024);
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

import { explainPlan } from '#core/plan/explain.ts';
import type { Issue } from '#core/issue/issue.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { Plan as PlanSchema } from '#core/plan/plan.ts';
import { compileText } from '#dialects/parse.ts';

function compiled(text: string): { plan: Plan; warnings: Issue[] } {
  const made = compileText({ text, unknownCalls: 'warning' });
  if (made.kind === 'issues') expect(made.issues).toEqual([]);
  if (made.kind !== 'plan') throw new TypeError('no plan');
  expect(made.dialect).toBe('dagu-yaml');
  return { plan: PlanSchema.parse(made.plan), warnings: made.warnings };
}

const planOf = (text: string): Plan => compiled(text).plan;
const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}.yaml`, import.meta.url), 'utf8');
const steps = (...lines: string[]): string => ['steps:', ...lines.map((line) => `  ${line}`)].join('\n');

function stepOf(text: string, id = 'a'): StepPlan {
  const step = planOf(text).steps.find((each) => each.id === id);
  if (step === undefined) throw new TypeError(`no step ${id}`);
  return step;
}

describe('repeating', () => {
  const repeating = (policy: string): string => steps('- id: a', '  run: make', `  repeat_policy: ${policy}`);

  test('D-03, D-04: `until` a command exits 0, at most `limit` executions, which judge nothing', () => {
    expect(stepOf(repeating('{ repeat: until, condition: make test, limit: 5 }')).loop).toMatchObject({
      to: 'a',
      on: 'always',
      limit: 4,
      limitJudges: false,
      repeat: {
        mode: 'until',
        onError: 'pause',
        condition: { command: 'make test', compare: 'exitCode', returns: '0', timeSeconds: 3600 },
      },
    });
  });

  test.each([
    ['{ repeat: while, condition: ./busy, limit: 2 }', { mode: 'while', condition: { command: './busy' } }],
    ['{ repeat: until, exit_code: 0, limit: 2 }', { mode: 'until', exitCodes: [0] }],
    ['{ exit_code: [1, 2], limit: 2 }', { mode: 'while', exitCodes: [1, 2] }],
    ['{ condition: ./busy, limit: 2 }', { mode: 'while', condition: { compare: 'exitCode' } }],
    ['{ condition: x, expected: done, limit: 2 }', { mode: 'until', condition: { by: 'line', returns: 'done' } }],
    [
      '{ condition: x, expected: "re:^d", limit: 2 }',
      { mode: 'until', condition: { by: 'pattern', caseSensitive: true, returns: '^d' } },
    ],
    ['{ repeat: true, condition: ./busy, limit: 2 }', { mode: 'while', condition: { command: './busy' } }],
  ])('D-03: %s', (policy, repeat) => {
    expect(stepOf(repeating(policy)).loop?.repeat).toMatchObject(repeat);
  });

  test('D-03: `repeat: true` alone goes on while the step succeeds; `false` repeats nothing', () => {
    const loop = stepOf(repeating('{ repeat: true, limit: 3 }')).loop;
    expect([loop?.on, loop?.limit, loop?.repeat]).toEqual(['pass', 2, undefined]);
    expect(stepOf(repeating('{ repeat: false }')).loop).toBeUndefined();
  });

  test('D-03: waits grow by `backoff` up to `max_interval_sec`', () => {
    const policy = '{ exit_code: 1, limit: 9, interval_sec: 5, backoff: true, max_interval_sec: 60 }';
    expect(stepOf(repeating(policy)).loop?.wait).toEqual({ everySeconds: 5, backoff: 2, maxSeconds: 60 });
  });

  test('D-15: a failed or timed-out attempt is judged, too', () => {
    expect(stepOf(repeating('{ repeat: until, exit_code: 0, limit: 3 }')).loop?.on).toBe('always');
  });

  test('a repeat without a limit is bounded by the time of the run, which is added and told (C1)', () => {
    const policy = '{ repeat: until, condition: make test }';
    const { plan, warnings } = compiled(repeating(policy));
    expect([plan.limits.timeSeconds, plan.steps[0]?.loop?.limit]).toEqual([14_400, null]);
    expect(warnings.map(({ code, line }) => [code, line])).toEqual([['loop/unbounded', 4]]);
    const timed = compiled(`timeout_sec: 60\n${repeating(policy)}`);
    expect([timed.plan.limits, timed.warnings]).toMatchObject([{ deadlineSeconds: 60 }, []]);
  });

  test('D-13: retries are for crashes; without a policy nothing is started again', () => {
    const retry = (policy: string): StepPlan['retry'] => stepOf(steps('- id: a', '  run: make', `  ${policy}`)).retry;
    expect(retry('timeout_sec: 5')).toMatchObject({ on: 'failure', limit: 0 });
    expect(retry('retry_policy: { limit: "3", interval_sec: 2, backoff: 1.5, exit_code: 75 }')).toEqual({
      on: [75],
      limit: 3,
      everySeconds: 2,
      backoff: 1.5,
    });
  });
});

describe('people', () => {
  test('D-08, D-09, D-10: a question with its form and files; a push back has its own form and no limit, a rejection ends', () => {
    const plan = planOf(fixture('release-notes'));
    expect(plan.steps[1]).toMatchObject({
      work: {
        kind: 'person',
        ask: 'Publish these release notes?',
        show: [{ kind: 'artifact', path: 'release-notes.md' }],
        pushBackForm: { required: ['feedback'], additionalProperties: false },
        pushBackLimit: null,
      },
      loop: { to: 'draft', on: 'fail', limit: 0 },
    });
    expect(plan.steps[0]?.output).toEqual({ of: 'all', artifact: 'release-notes.md' });
    expect(explainPlan(plan)).toContain(
      '↺ if a person pushes back, work goes back to draft\n   a rejection ends the run\n',
    );
  });

  test('D-08: the fields of a form are read by name; the time of a run with people counts its work', () => {
    const text = `timeout_sec: 60\n${steps(
      '- id: ask',
      '  action: human.task',
      '  with: { prompt: Which?, form: { type: object, properties: { n: { type: integer } } } }',
      '- id: a',
      '  depends: ask',
      '  run: ./use.sh ${steps.ask.outputs.n}',
    )}`;
    expect(stepOf(text)).toMatchObject({
      work: { command: './use.sh ${DAGU_ask_n}' },
      env: { DAGU_ask_n: '{{steps.ask.outputs.n}}' },
    });
    expect(planOf(text).limits).toMatchObject({ timeSeconds: 60 });
    expect(planOf(text).limits).not.toHaveProperty('deadlineSeconds');
  });

  test('a condition before a question sets what it names: a question has no environment', () => {
    const text = `params: [{ V: x }]\n${steps('- id: a', '  action: human.task', '  with: { prompt: Go? }', '  preconditions: [{ condition: "${params.V}", expected: x }]')}`;
    expect(stepOf(text).when?.condition.command).toBe('export V={{inputs.V}}\nvalue="${V}"\nprintf \'%s\\n\' "$value"');
  });
});

describe('child DAGs', () => {
  test('D-12, D-25: a later document is called, repeated, and its variables are its outputs', () => {
    const plan = planOf(fixture('reviewer'));
    expect(plan.steps[0]).toMatchObject({
      work: { kind: 'call', definition: 'implement-and-review', inputs: { TASK: 'Add a health endpoint.' } },
      loop: { to: 'round', limit: 2, limitJudges: false, repeat: { mode: 'until' } },
    });
    expect(plan.children?.['implement-and-review']).toMatchObject({
      outputs: { REVIEW: 'review' },
      workspace: { worktree: false, repo: '.' },
    });
  });

  test('D-25: what a child gave is read by name, in Dagu’s two ways', () => {
    const text = `${steps(
      '- id: child',
      '  action: dag.run',
      '  with: { dag: other, params: "A=1 two" }',
      '  output: RESULT',
      '- id: a',
      '  depends: child',
      '  run: echo "${child.outputs.FOUND}" "${RESULT.outputs.FOUND}"',
    )}\n---\nname: other\nparams: { A: "", p1: "" }\nsteps:\n  - id: find\n    run: echo\n    output: FOUND\n`;
    expect(stepOf(text).env).toMatchObject({ DAGU_child_FOUND: '{{steps.child.outputs.FOUND}}' });
    expect(stepOf(text, 'child').work).toMatchObject({ inputs: { A: '1', p1: 'two' } });
  });

  test('D-14: `parallel` calls for each item, ten at a time unless it is said', () => {
    const parallel = (items: string): StepPlan['work'] =>
      stepOf(
        `params: [{ ITEMS: "" }]\n${steps('- id: a', '  action: dag.run', '  with: { dag: other, params: { NAME: "x-${ITEM}" } }', `  parallel: ${items}`)}`,
      ).work;
    expect(parallel('[a, 2]')).toMatchObject({ each: { list: '["a","2"]', max: 10 }, inputs: { NAME: 'x-{{item}}' } });
    expect(parallel('{ items: "${params.ITEMS}", max_concurrent: 3 }')).toMatchObject({
      each: { list: '{{inputs.ITEMS}}', max: 3 },
    });
  });
});

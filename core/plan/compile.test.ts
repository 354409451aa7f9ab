import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { Definition, StepDefinition } from '#core/definition/definition.ts';
import { Definition as DefinitionSchema } from '#core/definition/definition.ts';
import type { Compiled } from '#core/plan/compile.ts';
import { compile } from '#core/plan/compile.ts';
import { explainPlan } from '#core/plan/explain.ts';
import { graphOf } from '#core/plan/graph.ts';
import type { Plan } from '#core/plan/plan.ts';
import { Plan as PlanSchema } from '#core/plan/plan.ts';

function run(id: string, more: Partial<StepDefinition> = {}): StepDefinition {
  return { id, after: [], work: { kind: 'run', command: 'make' }, checks: [], ...more };
}

function agent(id: string, more: Partial<StepDefinition> = {}, name = 'codex'): StepDefinition {
  return { ...run(id), work: { kind: 'agent', agent: { name }, prompt: 'Do it' }, ...more };
}

function planOf(definition: Definition): Plan {
  const compiled = compile(definition);
  expect(compiled).toMatchObject({ kind: 'plan' });
  return PlanSchema.parse(compiled.kind === 'plan' ? compiled.plan : undefined);
}

function codes(compiled: Compiled): string[] {
  const issues = compiled.kind === 'plan' ? compiled.warnings : compiled.issues;
  return issues.map((issue) => `${issue.path} ${issue.code}`);
}

describe('loops', () => {
  test('without a limit of its own a loop takes the passes of the run, less one (C1)', () => {
    const steps = [run('a'), run('b', { after: ['a'], loop: { to: 'a' } })];
    expect(planOf({ steps }).steps[1]?.loop?.limit).toBe(4);
    expect(planOf({ steps, limits: { passes: 3 } }).steps[1]?.loop?.limit).toBe(2);
  });

  test.each([{ deadlineSeconds: 60 }, { spendUsd: 1 }, { timeSeconds: 60 }])(
    'an unlimited loop is bounded by %j (C1, C-15)',
    (limit) => {
      const steps = [run('a', { loop: { limit: null } })];
      expect(planOf({ steps, limits: { timeSeconds: null, ...limit } }).steps[0]?.loop?.limit).toBeNull();
      expect(codes(compile({ steps, limits: { timeSeconds: null } }))).toEqual(['steps.a.loop.limit loop/unbounded']);
    },
  );

  test('a target that is not upstream is an error, and a warning where the dialect allows it (V-27)', () => {
    const steps = (anyTarget: boolean): StepDefinition[] => [
      run('a', { loop: { to: 'b', anyTarget } }),
      run('b', { after: ['a'] }),
    ];
    expect(compile({ steps: steps(false) }).kind).toBe('issues');
    expect(codes(compile({ steps: steps(true) }))).toEqual(['steps.a.loop.to loop/not-upstream']);
    expect(compile({ steps: steps(true) }).kind).toBe('plan');
  });

  test('a loop of an agent that nothing judges is a warning', () => {
    expect(codes(compile({ steps: [agent('a', { loop: {} })] }))).toEqual(['steps.a.loop loop/no-signal']);
    expect(codes(compile({ steps: [agent('a', { loop: {}, match: { pass: 'ok' } })] }))).toEqual([]);
  });

  test('passes that bound no loop are a warning', () => {
    expect(codes(compile({ steps: [run('a')], limits: { passes: 3 } }))).toEqual(['limits.passes limit/no-loop']);
  });
});

describe('limits', () => {
  test.each(['cursor', 'copilot', 'amp', 'goose', 'aider'])(
    'a spend limit cannot bind with %s, alone or as fallback (R047, E7)',
    (name) => {
      expect(codes(compile({ steps: [agent('a', {}, name)], limits: { spendUsd: 1 } }))).toEqual([
        'limits.spend limit/cannot-bind',
      ]);
      const work: StepDefinition['work'] = { kind: 'agent', agent: { name: 'codex', fallback: [name] }, prompt: 'x' };
      expect(codes(compile({ steps: [agent('a', { work })], limits: { spendUsd: 1 } }))).toEqual([
        'limits.spend limit/cannot-bind',
      ]);
    },
  );

  test('a spend limit cannot bind with a custom agent, whose answer holds no cost (R047)', () => {
    const withOutput = (output: 'text' | 'json'): Definition => ({
      steps: [
        agent('a', {
          work: { kind: 'agent', prompt: 'x', agent: { name: 'custom', custom: { command: ['x'], output } } },
        }),
      ],
      limits: { spendUsd: 1 },
    });
    expect(compile(withOutput('text')).kind).toBe('issues');
    expect(compile(withOutput('json')).kind).toBe('issues');
  });
});

describe('checks', () => {
  test('commands that differ only beyond what a name shows are numbered', () => {
    const command = (end: string): StepDefinition['checks'][number] => ({
      kind: 'command',
      command: `${'x'.repeat(100)} ${end}`,
    });
    const plan = planOf({ steps: [run('a', { checks: [command('1'), command('2')] })] });
    const names = plan.steps[0]?.checks.map((check) => check.name) ?? [];
    expect(new Set(names).size).toBe(2);
    expect(names[1]).toMatch(/… \(2\)$/);
  });

  test('a check may read its own step and those before it, no other', () => {
    const reads = (of: string): Compiled =>
      compile({ steps: [run('a'), run('b', { after: ['a'], checks: [{ kind: 'match', of, pass: 'ok' }] }), run('c')] });
    expect(reads('a').kind).toBe('plan');
    expect(reads('b').kind).toBe('plan');
    expect(codes(reads('c'))).toEqual(['steps.b.checks.0.match.of check/not-upstream']);
  });
});

describe('templates', () => {
  const promptOf = (prompt: string): Partial<StepDefinition> => ({
    work: { kind: 'agent', agent: { name: 'codex' }, prompt },
  });

  test('an output of a later step is fine, it speaks in a later pass (V-22)', () => {
    const steps = [agent('a', promptOf('{{steps.b.output}}')), run('b', { after: ['a'], loop: { to: 'a' } })];
    expect(codes(compile({ steps }))).toEqual([]);
  });

  test('an output of a step beside is a warning', () => {
    const steps = [agent('a', promptOf('{{steps.b.output}}')), run('b')];
    expect(codes(compile({ steps }))).toEqual(['steps.a.prompt template/unordered']);
  });

  test('what is rendered at delivery knows no feedback', () => {
    const deliver = { title: '{{run.name}}: {{feedback}}' };
    expect(codes(compile({ steps: [run('a')], deliver }))).toEqual(['deliver.title template/unknown-root']);
  });
});

test('two steps with one id are refused', () => {
  expect(codes(compile({ steps: [run('a'), run('a')] }))).toEqual(['steps.a step/duplicate-id']);
});

test('more than 10,000 steps are refused', () => {
  const steps = Array.from({ length: 10_001 }, (_, index) => run(`s${index}`));
  expect(codes(compile({ steps }))).toEqual(['steps definition/too-many-steps']);
});

test('10,000 questions, and calls of one definition, are found too large in a moment', { timeout: 5000 }, () => {
  const steps = Array.from({ length: 9_998 }, (_, index): StepDefinition => {
    const after = index === 0 ? [] : [`s${index - 1}`];
    const ask = { kind: 'person' as const, ask: 'Go on?', form: { properties: { risk: { type: 'string' } } } };
    return run(`s${index}`, { after, work: index % 2 === 0 ? ask : { kind: 'call', definition: 'part' } });
  });
  const children = { part: { steps: [run('a')] } };
  expect(codes(compile({ steps, children }))).toEqual([expect.stringMatching(/ definition\/too-large$/)]);
});

test('10,000 steps in a chain, each looping back, are found too large in a moment', { timeout: 5000 }, () => {
  const steps = Array.from({ length: 10_000 }, (_, index) =>
    run(`s${index}`, index === 0 ? {} : { after: [`s${index - 1}`], loop: { to: `s${Math.max(0, index - 50)}` } }),
  );
  expect(codes(compile({ steps }))).toEqual([expect.stringMatching(/ definition\/too-large$/)]);
});

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e f', '');
const texts = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom('{{steps.a.output}}', 'echo "{{inputs.x}}"', '{{#if feedback}}', '('),
);
const checks = fc.oneof(
  fc.record({ kind: fc.constant('command' as const), command: texts, name: fc.option(ids, { nil: undefined }) }),
  fc.record({
    kind: fc.constant('match' as const),
    of: fc.option(ids, { nil: undefined }),
    pass: fc.option(texts, { nil: undefined }),
  }),
  fc.record({ kind: fc.constant('review' as const), criterion: texts }),
  fc.record({
    kind: fc.constant('report' as const),
    file: texts,
    wants: fc.record({ kind: fc.constant('worklist' as const) }),
  }),
);
const steps = fc.record({
  id: ids,
  after: fc.array(ids, { maxLength: 2 }),
  work: fc.oneof(
    fc.record({ kind: fc.constant('run' as const), command: texts }),
    fc.record({
      kind: fc.constant('agent' as const),
      prompt: texts,
      agent: fc.record({ name: fc.constantFrom('codex', 'auto', 'amp', 'nobody') }),
    }),
    fc.record({
      kind: fc.constant('person' as const),
      ask: texts,
      show: fc.array(fc.record({ kind: fc.constant('output' as const), step: ids }), { maxLength: 2 }),
      form: fc.option(fc.dictionary(fc.constantFrom('type', 'properties', 'x'), fc.jsonValue()), { nil: undefined }),
      quorum: fc.integer({ min: 1, max: 3 }),
      who: fc.array(ids, { maxLength: 2 }),
    }),
    fc.record({
      kind: fc.constant('call' as const),
      definition: ids,
      inputs: fc.dictionary(ids, texts, { maxKeys: 2 }),
      each: fc.option(fc.record({ list: texts }), { nil: undefined }),
    }),
  ),
  checks: fc.array(checks, { maxLength: 3 }),
  loop: fc.option(fc.record({ to: ids, limit: fc.option(fc.nat(9), { nil: null }) }), { nil: undefined }),
});
/** Some call each other, in circles too. */
const called = fc.dictionary(ids, fc.record({ steps: fc.array(steps, { minLength: 1, maxLength: 2 }) }), {
  maxKeys: 4,
  noNullPrototype: true,
});
const definitions = fc.record({
  steps: fc.array(steps, { minLength: 1, maxLength: 6 }),
  children: fc.option(called, { nil: undefined }),
  outputs: fc.option(fc.dictionary(ids, ids, { maxKeys: 2, noNullPrototype: true }), { nil: undefined }),
  limits: fc.option(fc.record({ timeSeconds: fc.constantFrom(null, 60), spendUsd: fc.constant(1) }), {
    nil: undefined,
  }),
});

/** Steps that wait only for those made before them, then shuffled: always a plan. */
const acyclic = fc
  .array(fc.record({ after: fc.array(fc.nat(20), { maxLength: 3 }), back: fc.option(fc.nat(20)), wait: fc.nat(100) }), {
    minLength: 1,
    maxLength: 20,
  })
  .map((made) =>
    made.map(({ after, back, wait }, index): StepDefinition => {
      const before = index === 0 ? [] : after.map((other) => `s${other % index}`);
      const loop = back === null ? {} : { loop: { to: before[back % 3] ?? `s${index}`, wait: { everySeconds: wait } } };
      return run(`s${index}`, { after: before, ...loop });
    }),
  )
  .chain((ordered) => fc.shuffledSubarray(ordered, { minLength: ordered.length, maxLength: ordered.length }));

describe('for any definition', () => {
  test('compile never throws and gives a plan or an error', () => {
    fc.assert(
      fc.property(definitions, (definition) => {
        const compiled = compile(DefinitionSchema.parse(definition));
        if (compiled.kind === 'plan') expect(PlanSchema.parse(compiled.plan)).toEqual(compiled.plan);
        else expect(compiled.issues.some((issue) => issue.severity === 'error')).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test('without a cycle it is a plan that fits the schema, is in topological order and can be explained and drawn', () => {
    fc.assert(
      fc.property(acyclic, (made) => {
        const plan = planOf({ steps: made });
        expect(plan.steps.map((step) => step.id).toSorted()).toEqual(made.map((step) => step.id).toSorted());
        const seen = new Set<string>();
        for (const step of plan.steps) {
          for (const id of step.after) expect(seen).toContain(id);
          seen.add(step.id);
        }
        expect(explainPlan(plan)).toContain('Delivery: ');
        expect(graphOf(plan)).toMatch(/^flowchart TD\n/);
      }),
      { numRuns: 300 },
    );
  });
});

import { describe, expect, test } from 'vitest';

import type { PersonPlan, Plan, StepPlan } from '#core/plan/plan.ts';
import { Plan as PlanSchema } from '#core/plan/plan.ts';
import { compileText } from '#dialects/parse.ts';

function planOf(text: string): Plan {
  const compiled = compileText({ text });
  if (compiled.kind === 'issues') expect(compiled.issues).toEqual([]);
  return PlanSchema.parse(compiled.kind === 'plan' ? compiled.plan : undefined);
}

/** A work step, then a question with these lines. */
const asking = (...lines: string[]): string =>
  ['steps:', '  work: { run: make }', '  ask:', '    after: work', ...lines.map((line) => `    ${line}`)].join('\n');

function asked(...lines: string[]): StepPlan & { work: PersonPlan } {
  const step = planOf(asking(...lines)).steps[1];
  if (step?.work.kind !== 'person') return expect.fail('no person step');
  return { ...step, work: step.work };
}

/** Every issue as `line:severity:code`. */
function issuesOf(text: string): string[] {
  const compiled = compileText({ text });
  const issues = compiled.kind === 'plan' ? compiled.warnings : compiled.issues;
  return issues.map(({ line, severity, code }) => `${line}:${severity}:${code}`);
}

describe('a question to people', () => {
  test('D1: is written as its text alone, or with all that belongs to it', () => {
    expect(asked('person: Ship it?').work).toEqual({
      kind: 'person',
      ask: 'Ship it?',
      show: [],
      who: [],
      quorum: 1,
      notAuthor: false,
      pushBackLimit: null,
    });
    const { work } = asked(
      'person:',
      '  ask: Ship it?',
      '  show: [steps.work.output, docs/plan.md]',
      '  who: team:web',
      '  escalate: [team:leads]',
      '  time: { limit: 2d, then: escalate }',
    );
    expect(work).toMatchObject({
      show: [
        { kind: 'output', step: 'work' },
        { kind: 'file', path: 'docs/plan.md' },
      ],
      who: ['team:web'],
      escalate: { to: ['team:leads'] },
      time: { limitSeconds: 172_800, onExpiry: 'escalate' },
    });
  });

  test('D5: a time alone fails the step when it is over', () => {
    expect(asked('person: { ask: x, time: 3d }').work.time).toEqual({ limitSeconds: 259_200, onExpiry: 'fail' });
  });

  test('C1, D3: without a limit a person rejects within the passes of the run and pushes back for ever', () => {
    const step = asked('person: x', 'loop: { to: work }');
    expect([step.loop?.limit, step.work.pushBackLimit]).toEqual([4, null]);
  });

  test('D3: a limit that is written holds for rejections and for push backs', () => {
    const step = asked('person: x', 'loop: { to: work, limit: 2 }');
    expect([step.loop?.limit, step.work.pushBackLimit]).toEqual([2, 2]);
    const endless = planOf(`${asking('person: x', 'loop: { to: work, limit: none }')}\nlimits: { time: none }`);
    expect(endless.steps[1]?.loop?.limit).toBeNull();
  });

  test('a person writes nothing, so nothing is delivered for it', () => {
    expect(planOf('steps:\n  ask: { person: Go on? }').deliver.mode).toBe('none');
  });
});

describe('D2: a form', () => {
  test('in the short way becomes a JSON Schema that takes these names alone', () => {
    const { work } = asked(
      'person:',
      '  ask: x',
      '  form:',
      '    risk: { type: string, enum: [low, high], required: true }',
      '    files: { type: array, items: { type: object, required: [path] } }',
    );
    expect(work.form).toEqual({
      type: 'object',
      properties: {
        risk: { type: 'string', enum: ['low', 'high'] },
        files: { type: 'array', items: { type: 'object', required: ['path'] } },
      },
      required: ['risk'],
      additionalProperties: false,
    });
  });

  test('is taken as it is when it is a whole JSON Schema', () => {
    const whole = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    expect(asked(`person: { ask: x, form: ${JSON.stringify(whole)} }`).work.form).toEqual(whole);
    expect(asked('person: { ask: x, form: { properties: { a: { type: number } } } }').work.form).toEqual({
      properties: { a: { type: 'number' } },
    });
  });

  test('may ask for something that is called `type` or `properties`', () => {
    const { work } = asked('person: { ask: x, form: { type: { type: string }, properties: { type: string } } }');
    expect(work.form).toMatchObject({ properties: { type: { type: 'string' }, properties: { type: 'string' } } });
  });
});

describe('a question that is wrong', () => {
  test.each<[string, string[], string[]]>([
    ['no question', ['person: { who: ada }'], ['5:error:definition/missing']],
    ['an unknown key', ['person:', '  ask: x', '  shwo: a'], ['7:error:definition/unknown-key']],
    ['an unknown step shown', ['person:', '  ask: x', '  show: steps.wrok.output'], ['7:error:step/unknown']],
    ['something else of a step shown', ['person:', '  ask: x', '  show: steps.work'], ['7:error:check/bad-reference']],
    ['a file outside shown', ['person:', '  ask: x', '  show: [../secret]'], ['7:error:workspace/bad-path']],
    ['a form of text', ['person:', '  ask: x', '  form: risk'], ['7:error:definition/wrong-type']],
    [
      'a type that no form has, in the short way',
      ['person:', '  ask: x', '  form:', '    a: { type: string }', '    b: { type: text }'],
      ['9:error:person/bad-form'],
    ],
    [
      'an unknown keyword in a whole schema',
      ['person:', '  ask: x', '  form:', '    type: object', '    properties:', '      a: { tpye: string }'],
      ['10:error:person/bad-form'],
    ],
    [
      'a quorum of more than may decide',
      ['person:', '  ask: x', '  who: [ada, bob]', '  quorum: 3'],
      ['8:error:person/quorum-too-large'],
    ],
    [
      'an escalation to nobody',
      ['person:', '  ask: x', '  escalate: { to: [], after: 1d }'],
      ['7:error:person/escalates-to-nobody'],
    ],
    ['an escalation at no time', ['person:', '  ask: x', '  escalate: [ada]'], ['7:error:definition/missing']],
    [
      'an escalation without a name',
      ['person:', '  ask: x', '  time: { limit: 1d, then: escalate }'],
      ['7:warning:person/escalates-to-nobody'],
    ],
    ['a time without a limit', ['person:', '  ask: x', '  time: { then: skip }'], ['7:error:definition/missing']],
    ['a pattern', ['person: x', 'pass: yes'], ['6:error:definition/conflict']],
    ['checks', ['person: x', 'checks: [make]'], ['6:error:definition/conflict']],
    ['a retry', ['person: x', 'retry: { limit: 1 }'], ['6:error:definition/conflict']],
    ['a time of the step', ['person: x', 'time: 1d'], ['6:error:definition/conflict']],
    ['a variable', ['person: x', 'env: { A: b }'], ['6:error:definition/conflict']],
    ['a prompt', ['person: x', 'prompt: y'], ['6:error:definition/conflict']],
    ['a verdict', ['person: x', 'verdict: approve'], ['6:error:definition/conflict']],
    ['a list', ['person: x', 'for: { each: a }'], ['6:error:definition/conflict']],
    ['a loop on success', ['person: x', 'loop: { to: work, on: always }'], ['6:error:definition/conflict']],
    ['a loop with a condition', ['person: x', 'loop: { to: work, until: make }'], ['6:error:definition/conflict']],
    ['an unknown value in its text', ['person: "{{inputs.x}}"'], ['5:error:template/unknown-input']],
  ])('%s is an issue with its line', (_what, lines, expected) => {
    expect(issuesOf(asking(...lines))).toEqual(expected);
  });

  test('an output shown of a step beside it may not be there yet', () => {
    const text = 'steps:\n  a: { run: x }\n  b: { person: { ask: x, show: steps.a.output } }\n';
    expect(issuesOf(text)).toEqual(['3:warning:template/unordered']);
  });

  test('a team, or everyone, may have any quorum', () => {
    expect(issuesOf(asking('person: { ask: x, who: [ada, team:web], quorum: 5 }'))).toEqual([]);
    expect(issuesOf(asking('person: { ask: x, quorum: 5 }'))).toEqual([]);
  });
});

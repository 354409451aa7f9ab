import { describe, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import { Plan as PlanSchema } from '#core/plan/plan.ts';
import { compileText, compileValue } from '#dialects/parse.ts';

function planOf(text: string, file?: string): Plan {
  const compiled = compileText({ text, ...(file === undefined ? {} : { file }) });
  if (compiled.kind === 'issues') expect(compiled.issues).toEqual([]);
  expect(compiled.kind).toBe('plan');
  return PlanSchema.parse(compiled.kind === 'plan' ? compiled.plan : undefined);
}

const surfaceShort = String.raw`setpoint: 1
name: Green tests
task: Make the test suite pass. Do not edit the tests.
agent: codex                      # a name, or an object
checks:
  - npm test                      # a string is a command check: exit 0 passes
  - { name: no-todo, run: grep -rn TODO src, expect: { exit: 1 }, time: 2m }
  - { name: report, run: ./report.sh, evidence: { tests: ">=1" } }
  - { name: size, match: { of: steps.work.output, pass: '\bok\b', fail: 'ERROR' } }
  - { name: reply, schema: { of: steps.work.output, file: reply.schema.json } }
  - { name: review, review: { agent: claude, criterion: Every change is covered by a test, consecutive: 1 } }
limits: { passes: 5, time: 4h, deadline: 2d, spend: 5 USD, noProgress: 2 }
onExhausted: fail
workspace: { repo: ., base: main, protect: ["test/**"], keep: [], setup: npm ci, lane: run, worktree: true }
baseline: report
deliver: branch
`;

const surfaceLong = `setpoint: 1
name: Feature
project: web                      # default project if none
labels: [feature]
inputs: { issue: { type: string, required: true }, testCommand: { type: string, default: npm test } }
steps:
  plan:      { agent: claude, readOnly: true, prompt: "Plan {{inputs.issue}}." }
  agree:     { person: { ask: Is this the right plan?, show: [steps.plan.output], form: { risk: { type: string } } }, after: plan, loop: { to: plan } }
  implement: { agent: codex, prompt: "Do it: {{steps.plan.output}}", after: agree }
  test:      { run: "{{inputs.testCommand}}", after: implement, loop: { to: implement, limit: 3 } }
  review:    { agent: claude, readOnly: true, verdict: approve, prompt: Review the diff., after: test, loop: { to: implement, limit: 2 } }
  ready:     { person: { ask: Ship it?, who: [team:web], quorum: 1, notAuthor: true, remind: 1d, time: { limit: 3d, then: escalate } }, after: review, loop: { to: implement, limit: 2 } }
limits: { time: 1d, spend: 20 USD }
deliver: pr
on:                               # what starts it by itself
  schedule: { cron: "0 6 * * 1-5", zone: Europe/Berlin, overlap: skip }
  github: { event: check_failed, branch: main }
  comment: /setpoint fix
concurrency: { key: "{{inputs.issue}}", onBusy: queue }    # queue | skip | cancel
callback: { url: "https://ci.example/hook", secret: env:HOOK }
`;

describe('the short form', () => {
  test('three lines are a plan with every default filled (C1)', () => {
    const plan = planOf('task: Mend it\nagent: codex\nchecks: [npm test]\n', 'loops/green-tests.loop.yaml');
    expect(plan).toMatchObject({
      name: 'green-tests',
      project: 'default',
      limits: { timeSeconds: 14_400, noProgress: 2, onTime: 'fail', onSpend: 'pause' },
      workspace: { repo: '.', worktree: true, lane: 'run' },
      baseline: 'report',
      deliver: { mode: 'branch' },
    });
    expect(plan.steps).toHaveLength(1);
    expect(plan.steps[0]).toMatchObject({
      id: 'work',
      work: { kind: 'agent', agent: { name: 'codex', session: 'fresh', fallback: [] }, prompt: 'Mend it' },
      checks: [
        { name: 'npm test', kind: 'command', command: 'npm test', expectExit: 0, needs: 'always', timeSeconds: 600 },
      ],
      mode: 'all',
      loop: {
        to: 'work',
        on: 'fail',
        limit: 4,
        onExhausted: 'fail',
        inFlight: 'cancel',
        wait: { everySeconds: 0, backoff: 1 },
      },
      retry: { on: 'infrastructure', limit: 2, everySeconds: 10, backoff: 2 },
      timeSeconds: 1800,
    });
  });

  test('passes 3 let the loop fire twice, and onExhausted governs passes, time and spend (C7)', () => {
    const plan = planOf('task: x\nagent: codex\nchecks: [a]\nlimits: { passes: 3 }\nonExhausted: succeed');
    expect(plan.steps[0]?.loop).toMatchObject({ limit: 2, onExhausted: 'succeed' });
    expect(plan.limits).toMatchObject({ onTime: 'succeed', onSpend: 'succeed' });
  });

  test('the example of the guide is a plan, its review asked once the checks before it passed (B2, B5)', () => {
    const plan = planOf(surfaceShort);
    const names = plan.steps[0]?.checks.map((check) => check.name);
    expect(names).toEqual(['npm test', 'no-todo', 'report', 'size', 'reply', 'review']);
    expect(plan.limits).toMatchObject({ deadlineSeconds: 172_800, spendUsd: 5 });
    expect(plan.steps[0]?.checks[5]).toMatchObject({
      name: 'review',
      kind: 'review',
      needs: 'passed',
      timeSeconds: 600,
      agent: { name: 'claude', session: 'fresh', fallback: [] },
      criterion: 'Every change is covered by a test',
      consecutive: 1,
    });
  });

  test('JSON text is read too, with its positions', () => {
    const json = JSON.stringify({ task: 'x', agent: { name: 'codex', time: '45m' }, checks: ['npm test'] }, null, '\t');
    expect(planOf(json).steps[0]?.timeSeconds).toBe(2700);
    const compiled = compileText({ text: json.replace('45m', '45') });
    expect(compiled.kind === 'issues' && compiled.issues[0]).toMatchObject({ line: 5, path: 'agent.time' });
  });

  test('issues of compiling point to where the short form says it', () => {
    const compiled = compileText({ text: 'task: |\n  one\n  {{nothing}}\nagent: codx\nchecks: [a]' });
    expect(compiled.kind === 'issues' && compiled.issues.map((issue) => issue.path)).toEqual(['task', 'agent']);
    expect(compiled.kind === 'issues' && compiled.issues[0]?.message).toContain('line 2 of the text');
  });
});

describe('the long form', () => {
  test('the example of the guide gives only issues about what this version does not do', () => {
    const compiled = compileText({ text: surfaceLong });
    const issues = compiled.kind === 'issues' ? compiled.issues : [];
    const errors = issues.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'deliver definition/not-yet',
      'on.github definition/not-yet',
      'on.comment definition/not-yet',
      'concurrency definition/not-yet',
    ]);
  });

  test('without them it is a plan, its people and its callback among it', () => {
    const lines = surfaceLong
      .split('\n')
      .filter((line) => !/^deliver|^on:|^ {2}(?:schedule|github|comment)|^con/.test(line));
    const plan = planOf(lines.join('\n'));
    expect(plan.steps.map((step) => step.id)).toEqual(['plan', 'agree', 'implement', 'test', 'review', 'ready']);
    expect(plan.steps[4]).toMatchObject({ readOnly: true, loop: { to: 'implement', limit: 2 } });
    expect(plan.limits).toMatchObject({ timeSeconds: 86_400, spendUsd: 20, onSpend: 'pause' });
    expect(plan.callback).toEqual({ url: 'https://ci.example/hook', secret: 'env:HOOK' });
    expect(plan.steps[1]?.work).toEqual({
      kind: 'person',
      ask: 'Is this the right plan?',
      show: [{ kind: 'output', step: 'plan' }],
      form: { type: 'object', properties: { risk: { type: 'string' } }, additionalProperties: false },
      who: [],
      quorum: 1,
      notAuthor: false,
      pushBackLimit: null,
    });
    expect(plan.steps[5]?.work).toEqual({
      kind: 'person',
      ask: 'Ship it?',
      show: [],
      who: ['team:web'],
      quorum: 1,
      notAuthor: true,
      remindSeconds: 86_400,
      time: { limitSeconds: 259_200, onExpiry: 'escalate' },
      pushBackLimit: 2,
    });
  });

  test('steps come in topological order, as written where that is one', () => {
    const plan = planOf('steps:\n  c: { run: x, after: a }\n  a: { run: x }\n  b: { run: x }\n');
    expect(plan.steps.map((step) => step.id)).toEqual(['a', 'c', 'b']);
  });

  test('scalars in text fields keep what was written (A14)', () => {
    const plan = planOf(
      'steps:\n  a:\n    run: true\n    name: no\n    env: { A: 0755, B: 1.10, C: 0x1F, D: null, E: "", F: 2001-01-01 }\n',
    );
    expect(plan.steps[0]).toMatchObject({ name: 'no', work: { command: 'true' } });
    expect(plan.steps[0]?.env).toEqual({ A: '0755', B: '1.10', C: '0x1F', D: 'null', E: '', F: '2001-01-01' });
  });

  test('a folded command runs as YAML says (R037)', () => {
    const plan = planOf(
      'steps:\n  a:\n    run: >-\n      echo lint\n      make test\n  b:\n    run: make test # all\n',
    );
    expect(plan.steps.map((step) => step.work.kind === 'run' && step.work.command)).toEqual([
      'echo lint make test',
      'make test',
    ]);
  });

  test('anchors and aliases are read, as YAML defines them', () => {
    const plan = planOf('steps:\n  a: { run: x, env: &env { A: b } }\n  b: { run: y, env: *env }\n');
    expect(plan.steps[1]?.env).toEqual({ A: 'b' });
  });

  test('nothing is delivered when every step only reads, or without a worktree', () => {
    expect(planOf('steps:\n  a: { agent: codex, prompt: x, readOnly: true }\n').deliver.mode).toBe('none');
    expect(planOf('steps:\n  a: { run: x }\nworkspace: { worktree: false }\n').deliver.mode).toBe('none');
    expect(planOf('steps:\n  a: { run: x }\n').deliver.mode).toBe('branch');
  });

  test('a loop repeats until a condition is met, itself its target', () => {
    const plan = planOf(
      'steps:\n  a: { run: x, loop: { until: { run: ./done, returns: yes }, limit: none, wait: { every: 10s, backoff: 2, max: 5m } } }\n',
    );
    expect(plan.steps[0]?.loop).toEqual({
      to: 'a',
      on: 'always',
      limit: null,
      wait: { everySeconds: 10, backoff: 2, maxSeconds: 300 },
      repeat: {
        mode: 'until',
        onError: 'pause',
        condition: { command: './done', compare: 'auto', returns: 'yes', timeSeconds: 60 },
      },
      onExhausted: 'fail',
      inFlight: 'cancel',
    });
  });

  test('an agent of one’s own and a scripted one carry what they run', () => {
    const plan = planOf(
      'steps:\n  a: { agent: { name: custom, command: [my, cli], prompt: file }, prompt: x }\n  b: { agent: { name: scripted, passes: [a, b] }, prompt: y }\n',
    );
    expect(plan.steps.map((step) => step.work.kind === 'agent' && step.work.agent)).toMatchObject([
      { custom: { command: ['my', 'cli'], prompt: 'file', output: 'text' } },
      { scripted: { passes: ['a', 'b'] } },
    ]);
  });
});

describe('verdict: approve', () => {
  const plan = planOf('steps:\n  a: { agent: codex, verdict: approve, prompt: Look. }\n');
  const { match, work } = plan.steps[0] ?? {};
  const judged = (output: string): boolean => {
    const fails = new RegExp(match?.fail ?? '', 'im').test(output);
    return !fails && new RegExp(match?.pass ?? '(?!)', 'im').test(output);
  };

  test.each([
    ['VERDICT: APPROVE', true],
    ['Fine.\n**VERDICT: APPROVE**\n', true],
    ['verdict: approve', true],
    ['', false],
    ['VERDICT: APPROVED WITH REMARKS', false],
    ['VERDICT: NOT APPROVE', false],
    ['I do not write VERDICT: APPROVE yet', false],
    ['> VERDICT: APPROVE', false],
    ['VERDICT: APPROVE or VERDICT: CHANGES_REQUESTED', false],
    ['VERDICT: CHANGES_REQUESTED', false],
    ['VERDICT: APPROVE\nWait.\nVERDICT: CHANGES_REQUESTED', false],
    ['VERDICT: CHANGES_REQUESTED\nVERDICT: APPROVE', false],
  ])('%j passes: %s (A6, V-31)', (output, passes) => {
    expect(judged(output)).toBe(passes);
  });

  test('an agent that repeats its request has given no verdict (R001)', () => {
    expect(work?.kind === 'agent' && work.prompt).toContain('exactly one line');
    expect(judged(work?.kind === 'agent' ? work.prompt : '')).toBe(false);
    expect(judged(`${work?.kind === 'agent' ? work.prompt : ''}\nVERDICT: APPROVE`)).toBe(true);
  });
});

describe('a definition given as a value', () => {
  test('is compiled as its text would be', () => {
    const compiled = compileValue({ task: 'x', agent: 'codex', checks: ['npm test'] });
    expect(compiled.kind).toBe('plan');
  });

  test('has issues without positions', () => {
    const compiled = compileValue({ task: 'x', agent: 'codex', chekcs: ['npm test'] });
    const unknown = compiled.kind === 'issues' ? compiled.issues.find((issue) => issue.path === 'chekcs') : undefined;
    expect(unknown).toEqual({
      path: 'chekcs',
      code: 'definition/unknown-key',
      severity: 'error',
      message: 'unknown key `chekcs`; did you mean `checks`?',
    });
  });
});

test('C6: a loop says what is asked after a failure and after a pass; of a step that is no agent it asks nothing', () => {
  const steps = (loop: string): string =>
    `steps:\n  work: { agent: codex, prompt: do it }\n  test: { run: make test, after: work, loop: ${loop} }\n`;
  expect(planOf(steps('{ to: work, prompt: "Again. {{feedback}}" }')).steps[1]?.loop?.prompts).toEqual({
    fail: 'Again. {{feedback}}',
    pass: 'Again. {{feedback}}',
  });
  expect(planOf(steps('{ to: work, prompt: { fail: Mend it } }')).steps[1]?.loop?.prompts).toEqual({ fail: 'Mend it' });
  const issues = (loop: string): string[] => {
    const compiled = compileText({ text: steps(loop) });
    return compiled.kind === 'plan' ? [] : compiled.issues.map(({ path, code }) => `${path} ${code}`);
  };
  expect(issues('{ prompt: Again }')).toEqual(['steps.test.loop.prompt definition/conflict']);
  expect(issues('{ to: work, prompt: { fail: "{{nothing}}" } }')).toEqual([
    'steps.test.loop.prompt.fail template/unknown-root',
  ]);
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

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

describe('what a workflow is', () => {
  test('D-01: it works in its folder as it is: no worktree, no baseline, no delivery, no limit that nobody wrote', () => {
    const plan = planOf(`name: nightly\nworking_dir: /repos/app\n${steps('- id: a', '  run: make')}`);
    expect(plan).toMatchObject({
      name: 'nightly',
      workspace: { repo: '/repos/app', worktree: false, envFiles: ['.env'] },
      baseline: 'off',
      deliver: { mode: 'none' },
      limits: { noProgress: 0 },
      artifacts: true,
    });
    expect(plan.limits).not.toHaveProperty('timeSeconds');
    expect(plan.steps[0]).toMatchObject({ retry: { limit: 0 }, work: { kind: 'run', command: 'make' }, after: [] });
  });

  test('D-01: a graph goes by `depends`, a chain by the order; ids, names and keys name a step', () => {
    const list = ['- id: a', '  run: make', '- name: b c', '  run: make', '- run: make', '  depends: [a, b c]'];
    const after = (text: string): [string, string[]][] => planOf(text).steps.map((step) => [step.id, step.after]);
    expect(after(steps(...list))).toEqual([
      ['a', []],
      ['b-c', []],
      ['step-3', ['a', 'b-c']],
    ]);
    expect(after(`type: chain\n${steps('- make a', '- make b', '- id: c', '  run: make c')}`)).toEqual([
      ['step-1', []],
      ['step-2', ['step-1']],
      ['c', ['step-2']],
    ]);
    expect(after(`type: chain\n${steps('- make a', '- [make b, make c]', '- make d')}`)).toEqual([
      ['step-1', []],
      ['step-2', ['step-1']],
      ['step-3', ['step-1']],
      ['step-4', ['step-2', 'step-3']],
    ]);
    expect(after(steps('one: { command: make }', 'two: { command: make, depends: one }'))).toEqual([
      ['one', []],
      ['two', ['one']],
    ]);
  });

  test('D-01: a step has its folder, variables, time and streams', () => {
    const step = stepOf(
      `working_dir: /repos/app\n${steps('- id: a', '  run: make', '  working_dir: /repos/app/web', '  env: [{ A: 1 }, B=2]', '  timeout_sec: 90', '  stdout: { artifact: out.txt }', '  stderr: { artifact: err.txt }')}`,
    );
    expect(step).toMatchObject({
      directory: 'web',
      env: { A: '1', B: '2', DAG_RUN_ARTIFACTS_DIR: '{{run.artifacts}}', DAG_RUN_ID: '{{run.id}}' },
      timeSeconds: 90,
      output: { of: 'stdout', artifact: 'out.txt', errorsArtifact: 'err.txt' },
    });
  });

  test('steps that all work in one folder name that of the run', () => {
    const text = steps(
      '- { id: a, run: make, working_dir: /srv/app }',
      '- { id: b, run: make, working_dir: /srv/app/ }',
    );
    expect(planOf(text).workspace.repo).toBe('/srv/app');
  });

  test('anchors and merge keys are expanded: what is written wins', () => {
    const text = `defaults:\n  retry_policy: &twice { limit: 2, interval_sec: 1 }\n${steps(
      '- &first',
      '  id: a',
      '  run: make',
      '  retry_policy: { <<: *twice, limit: 5 }',
      '- { <<: *first, id: b }',
    )}`;
    expect(stepOf(text, 'a').retry).toMatchObject({ limit: 5, everySeconds: 1 });
    expect(stepOf(text, 'b')).toMatchObject({ work: { command: 'make' }, retry: { limit: 5 } });
  });

  test('D-14: a schedule is kept as the trigger of the native form, of `start` only', () => {
    expect(planOf(`schedule: "CRON_TZ=Asia/Tokyo 0 6 * * *"\n${steps('- make')}`).on?.schedule).toEqual({
      cron: ['0 6 * * *'],
      zone: 'Asia/Tokyo',
      overlap: 'skip',
    });
    expect(planOf(`schedule: { start: ["0 6 * * *", "@daily"] }\n${steps('- make')}`).on?.schedule?.cron).toHaveLength(
      2,
    );
  });
});

describe('agents', () => {
  const harness = (lines: string): string =>
    steps('- id: a', '  action: harness.run', '  with:', ...lines.split('\n').map((line) => `    ${line}`));

  test('D-02: provider, model, further flags and fallbacks; nothing watches its progress', () => {
    const text = harness(
      'provider: claude\nmodel: sonnet\neffort: high\nmax_turns: 20\nbare: true\nverbose-x: false\nallowed-tools: [Bash, Read]\nprompt: Mend it.\nfallback: [{ provider: codex }]',
    );
    expect(stepOf(text).work).toEqual({
      kind: 'agent',
      agent: {
        name: 'claude',
        model: 'sonnet',
        effort: 'high',
        session: 'fresh',
        fallback: ['codex'],
        args: ['--max-turns', '20', '--bare', '--allowed-tools', 'Bash', '--allowed-tools', 'Read'],
      },
      prompt: 'Mend it.',
    });
  });

  test.each([
    ['provider: codex\nsandbox: read-only', true],
    ['provider: codex\nsandbox: workspace-write', false],
    ['provider: claude\npermission-mode: plan', true],
  ])('D-02: %j says whether it may write', (lines, readOnly) => {
    expect(stepOf(harness(`${lines}\nprompt: x`)).readOnly).toBe(readOnly);
  });

  test('D-02: what the adapter does by itself changes nothing, and is told', () => {
    const { warnings } = compiled(harness('provider: codex\nfull-auto: true\nskip_git_repo_check: true\nprompt: x'));
    expect(warnings.map(({ code, line }) => [code, line])).toEqual([
      ['dialect/no-effect', 6],
      ['dialect/no-effect', 7],
    ]);
  });

  test('D-02: a provider without an adapter, or defined in the file, is a custom agent', () => {
    expect(stepOf(harness('provider: qwen\nmodel: m\nprompt: x')).work).toMatchObject({
      agent: { name: 'custom', custom: { command: ['qwen', '--model', 'm', '-p'], prompt: 'argument' } },
    });
    const own =
      'harnesses:\n  mine: { binary: ./mine, prefix_args: [run], prompt_mode: stdin, option_flags: { model: -m } }\n';
    expect(stepOf(`${own}${harness('provider: mine\nmodel: m\nprompt: x')}`).work).toMatchObject({
      agent: { custom: { command: ['./mine', 'run', '-m', 'm'], prompt: 'stdin' } },
    });
  });

  test('D-02: defaults of the file hold for what a step leaves out', () => {
    const text = `harness: { provider: codex, model: large }\n${harness('prompt: x\nmodel: small')}`;
    expect(stepOf(text).work).toMatchObject({ agent: { name: 'codex', model: 'small' } });
  });

  test('a prompt names parameters, outputs and the folder of artifacts; braces that nobody owns are text', () => {
    const text = `params: [TASK]\n${steps(
      '- id: before',
      '  run: ./find.sh',
      '  output: FOUND',
      '- id: a',
      '  depends: before',
      '  action: harness.run',
      '  with: { provider: codex, prompt: "${params.p1} ${FOUND} ${FOUND.items[0].name} ${before.stdout} ${context.paths.artifacts_dir} ${user.name} $HOME {{x}}" }',
    )}`;
    expect(stepOf(text).work).toMatchObject({
      prompt:
        '{{inputs.p1}} {{steps.before.output}} {{steps.before.outputs.items_0_name}} {{run.artifacts}}/before.stdout {{run.artifacts}} ${user.name} $HOME \\{{x}}',
    });
    expect(stepOf(text, 'before')).toMatchObject({
      outputs: { items_0_name: 'items.0.name' },
      output: { of: 'stdout', artifact: 'before.stdout' },
    });
  });
});

describe('conditions, and what may fail', () => {
  test('D-14: a skipped step skips those after it, unless it is let go', () => {
    const text = steps(
      '- { id: a, run: make, preconditions: test -e x }',
      '- { id: b, run: make, depends: a, continue_on: skipped }',
    );
    expect(stepOf(text)).toMatchObject({ skipsDependents: true, when: { onUnmet: 'skip', onError: 'fail' } });
    expect(stepOf(text, 'b')).not.toHaveProperty('skipsDependents');
  });

  test('D-14: conditions of the file stop the run before its first step, and `init` comes then', () => {
    const text = `preconditions: [{ condition: test -e x }, { condition: y, expected: y }]\nhandler_on: { init: ./init.sh }\n${steps('- id: a', '  run: make')}`;
    const plan = planOf(text);
    expect(plan.steps.map(({ id, after }) => [id, after])).toEqual([
      ['preconditions', []],
      ['init', ['preconditions']],
      ['a', ['init']],
    ]);
    expect(plan.steps[0]?.when).toMatchObject({ onUnmet: 'cancel', and: [{ by: 'line', returns: 'y' }] });
  });

  test('D-14: handlers of success, failure, abort and exit know how the run ends', () => {
    const text = `handler_on: { success: echo "$DAG_RUN_STATUS", cancel: { command: ./c.sh }, exit: { run: ./e.sh } }\n${steps('- make')}`;
    const { handlers } = planOf(text);
    expect(Object.keys(handlers ?? {})).toEqual(['success', 'cancel', 'exit']);
    expect(handlers?.success).toMatchObject({ id: 'on-success', env: { DAG_RUN_STATUS: '{{run.status}}' } });
  });

  test('D-14: `continue_on` names codes and texts; a text is no pattern', () => {
    const text = steps(
      '- id: a',
      '  run: make',
      '  continue_on: { failure: true, exit_code: [0, 3], output: ["a.b", "re:^c"], mark_success: true }',
    );
    expect(stepOf(text)).toMatchObject({
      continueOnError: true,
      continueOn: { exitCodes: [3], matches: [String.raw`a\.b`, '^c'], caseSensitive: true, markSuccess: true },
    });
  });

  test('D-11: `output_schema` is a check on the reply', () => {
    const text = steps('- id: a', '  run: ./reply.sh', '  output_schema: { type: object, required: [x] }');
    expect(stepOf(text).checks).toMatchObject([
      { kind: 'schema', of: 'a', schema: { inline: { type: 'object', required: ['x'] } } },
    ]);
  });
});

describe('parameters and variables', () => {
  test('D-14: parameters in each of Dagu’s forms are inputs, and variables of each step', () => {
    const inputs = (params: string): Plan['inputs'] => planOf(`params: ${params}\n${steps('- make')}`).inputs;
    const text = (value: string) => ({ type: 'string', required: false, default: value });
    expect(inputs('{ A: 1, B: two }')).toEqual({ A: text('1'), B: text('two') });
    expect(inputs('[{ A: 1 }, B=two, three]')).toEqual({ A: text('1'), B: text('two'), p1: text('three') });
    expect(inputs(`one A=two B="three four"`)).toEqual({ p1: text('one'), A: text('two'), B: text('three four') });
    expect(inputs('[{ name: N, type: integer, default: 3 }, { name: R, required: true }]')).toEqual({
      N: { type: 'number', required: false, default: '3' },
      R: { type: 'string', required: true },
    });
    expect(inputs('{ type: object, required: [A], properties: { A: { type: boolean } } }')).toEqual({
      A: { type: 'boolean', required: true },
    });
  });

  test('D-06: the folder of artifacts under both of its names, and ids of the run', () => {
    const text = steps(
      '- id: a',
      '  run: cat "${context.paths.artifacts_dir}/x" "${DAG_RUN_ARTIFACTS_DIR}/x" ${context.run.id} ${run.id}',
    );
    expect(stepOf(text).work).toMatchObject({
      command: 'cat "${DAG_RUN_ARTIFACTS_DIR}/x" "${DAG_RUN_ARTIFACTS_DIR}/x" ${DAG_RUN_ID} ${DAG_RUN_ID}',
    });
  });

  test('secrets of the host are granted to each step by their names', () => {
    const text = `secrets: [{ name: TOKEN, provider: env, key: TOKEN }]\n${steps('- id: a', '  run: gh pr checks --watch --fail-fast')}`;
    expect(stepOf(text).secrets).toEqual(['TOKEN']);
  });
});

describe('older files', () => {
  test('F18: names of 1.x are read as those of today', () => {
    const plan = planOf(fixture('older-names'));
    expect(plan.labels).toEqual(['old', 'weekly']);
    expect(plan.steps[0]).toMatchObject({ id: 'fetch-data', directory: 'data', retry: { on: [1, 2], limit: 2 } });
    expect(plan.steps[1]?.loop).toMatchObject({
      limit: 19,
      wait: { everySeconds: 10, backoff: 1.5, maxSeconds: 60 },
      repeat: { mode: 'until', condition: { by: 'line', returns: 'done' } },
    });
    expect(plan.steps[1]?.continueOnError).toBe(true);
    expect(plan.handlers?.cancel?.work).toMatchObject({ command: 'set -- "${p1}"\necho cancelled' });
  });
});

test('F18: steps of an older file that nothing orders are told of: a chain was the default once', () => {
  const older = steps('- command: ./one.sh', '- command: ./two.sh');
  const codes = (text: string): string[] => compiled(text).warnings.map(({ code }) => code);
  expect(codes(older)).toEqual(['dialect/other-default']);
  expect(codes(`type: graph\n${older}`)).toEqual([]);
  expect(codes(steps('- run: ./one.sh', '- run: ./two.sh'))).toEqual([]);
});

describe('which files are Dagu’s', () => {
  test.each([
    ['a list of steps that run', steps('- run: make'), 'dagu-yaml'],
    ['a list of texts', steps('- make'), 'dagu-yaml'],
    ['steps by name with a key of Dagu’s own', steps('a: { command: make }'), 'dagu-yaml'],
    ['steps by name as the native form has them', steps('a: { run: make }'), 'native'],
    ['a file that says it is native', `setpoint: 1\n${steps('a: { run: make }')}`, 'native'],
  ])('%s: %s', (_, text, dialect) => {
    const made = compileText({ text });
    expect(made.kind === 'plan' ? made.dialect : made.issues).toBe(dialect);
  });

  test('steps by name that both could read are asked about', () => {
    const made = compileText({ text: steps('a: { run: make }', 'b: { run: make, depends: a }') });
    expect(made.kind === 'issues' && made.issues[0]?.code).toBe('dialect/ambiguous');
  });
});

test('the workflows of the guide are understood', () => {
  const guide = readFileSync(new URL('../../docs/guide/coming-from-dagu.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  expect(blocks.map((block) => compiled(block).warnings)).toEqual([[], [], []]);
});

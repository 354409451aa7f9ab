import { describe, expect, test } from 'vitest';

import type { Issue } from '#core/issue/issue.ts';
import { compileText } from '#dialects/parse.ts';

const dagu = (text: string) => compileText({ text, file: 'nightly.yaml', dialect: 'dagu-yaml' });

function planOf(text: string) {
  const made = dagu(text);
  if (made.kind === 'issues') expect(made.issues).toEqual([]);
  return made.kind === 'plan' ? made.plan : undefined;
}

function told(text: string): string[] {
  const made = dagu(text);
  const issues: Issue[] = made.kind === 'issues' ? made.issues : made.warnings;
  return issues.map(({ line, code, message }) => `${line} ${code} ${message}`);
}

describe('what a file says of its surroundings', () => {
  test.each([
    ['app', './app'],
    ['./app/', './app'],
    ['.', '.'],
    ['../app', '../app'],
    ['/srv/app', '/srv/app'],
  ])('D-01: `working_dir: %s` is a folder, never the address of a repository', (written, repo) => {
    expect(planOf(`working_dir: ${written}\nsteps: [{ id: a, run: make }]`)?.workspace.repo).toBe(repo);
  });

  test('a constant is made of those before it', () => {
    const text =
      'consts: [{ host: eu }, { url: "https://${consts.host}/x" }]\nsteps: [{ id: a, run: "curl ${consts.url}" }]';
    expect(planOf(text)?.steps[0]?.env).toMatchObject({ DAGU_CONST_url: 'https://eu/x' });
    expect(told('consts: [{ url: "${consts.host}/x" }, { host: eu }]\nsteps: [{ id: a, run: make }]')).toEqual([
      '1 template/unknown-root `${consts.host}`: `host` is not known; a constant is made of those before it',
    ]);
  });

  test.each([
    [
      'shell: "bash ${params.FLAGS}"',
      'the shell is fixed in the file; write what is meant in place of `${params.FLAGS}`',
    ],
    ['dotenv: ["${HOME}/.env"]', 'a file of variables has a fixed path; write it in place of `${HOME}/.env`'],
    ['dotenv: ~/.env', 'a file of variables has a fixed path; write it in place of `~/.env`'],
  ])('D-19: %s would be taken as it stands, so it is told', (line, message) => {
    expect(told(`${line}\nparams: [{ FLAGS: "-x" }]\nsteps: [{ id: a, run: make }]`)).toEqual([
      `1 dialect/not-run ${message}`,
    ]);
  });

  test('D-19: a variable that only Dagu sets is empty here, which is told', () => {
    const text = 'steps: [{ id: a, run: make }]\nhandler_on:\n  failure: { run: "mail ops < $DAG_RUN_LOG_FILE" }\n';
    expect(told(text)).toEqual([
      '3 dialect/no-effect `$DAG_RUN_LOG_FILE` is empty here; read the log of a run with `setpoint logs`',
    ]);
  });

  test.each([
    [
      'executor: { type: http, config: { timeout: 10 } }',
      '`executor: http` is not run by Setpoint; call it from a command, such as `run: curl --fail address`',
    ],
    ['executor: dag', '`executor: dag` is not run by Setpoint; write it as `call: NAME` with `params`'],
    [
      'type: ssh',
      '`type: ssh` of a step is not run by Setpoint; call it from a command, such as `run: ssh host command`',
    ],
  ])('D-19: %s tells what to write now', (line, message) => {
    expect(told(`steps:\n  - name: a\n    command: GET /x\n    ${line}\n`)).toEqual([`4 dialect/not-run ${message}`]);
  });

  test.each([
    ['opencode', 'variant: high', 'high', []],
    ['codex', 'config: [model_reasoning_effort=low, model_verbosity=low]', 'low', ['--config', 'model_verbosity=low']],
    ['pi', 'thinking: medium', 'medium', []],
  ])('D-02: how hard %s is to think may be a flag of its own: `%s`', (provider, flag, effort, args) => {
    const text = `steps:\n  - action: harness.run\n    with:\n      provider: ${provider}\n      prompt: Go.\n      ${flag}\n`;
    const work = planOf(text)?.steps[0]?.work;
    expect(work).toMatchObject({ agent: { name: provider, effort, ...(args.length === 0 ? {} : { args }) } });
  });

  test('a list of steps with an executor and nothing else is known as older Dagu', () => {
    const text = 'steps:\n  - name: tell\n    executor: { type: mail, config: { to: a@example.org } }\n';
    const made = compileText({ text });
    expect(made.kind === 'issues' && made.issues.map(({ code }) => code)).toEqual(['dialect/not-run']);
  });

  test('a step may publish texts that refer to values', () => {
    const text = `params: [{ PLACE: eu }]
consts: [{ app: pay }]
env: [{ WHERE: "\${consts.app}-\${params.PLACE}" }]
steps:
  - { id: plan, output: { target: "\${env.WHERE}!", copy: "\${plan.output.target}" } }
  - { id: go, depends: plan, run: "deploy '\${plan.output.copy}'" }
`;
    const env = planOf(text)?.steps[1]?.env;
    expect(env).toMatchObject({ DAGU_plan_copy: 'pay-{{inputs.PLACE}}!' });
    const itself =
      'steps:\n  - { id: a, output: { x: "${a.output.x}" } }\n  - { depends: a, run: "echo ${a.output.x}" }\n';
    expect(told(itself)).toEqual(['2 template/unknown-output `${a.output.x}`: it is made of itself']);
  });

  test('one file for both streams holds both', () => {
    const text = 'steps: [{ id: a, run: "echo out; echo err >&2", stdout: log.txt, stderr: log.txt }]';
    expect(planOf(text)?.steps[0]?.work).toMatchObject({
      command: '(\nset -e\necho out; echo err >&2\n) > "log.txt" 2>&1\nstatus=$?\ncat "log.txt"\nexit "$status"',
    });
  });

  test('parameters by a schema that stands in the file, with values for its defaults', () => {
    const properties = '{ task: { type: string }, count: { type: integer, default: 3 } }';
    const text = `params:\n  schema: { type: object, required: [task], properties: ${properties} }\n  values: { task: "{}" }\nsteps: [{ id: a, run: make }]`;
    expect(planOf(text)?.inputs).toEqual({
      task: { type: 'string', required: true, default: '{}' },
      count: { type: 'number', required: false, default: '3' },
    });
  });

  test('a parameter that cannot be worked out has its default, or nothing after it runs', () => {
    const text = (more: string) =>
      `params: [{ name: env, default: prod }, { name: tag, eval: "$(describe '\${params.env}')"${more} }]\nsteps: [{ id: a, run: make }]`;
    const start = (more: string): string | undefined => {
      const work = planOf(text(more))?.steps[0]?.work;
      return work?.kind === 'run' ? work.command.split('\n')[0] : undefined;
    };
    const worked = 'tag="${DAGU_GIVEN_tag:-$(describe \'\'"${env}"\'\')}"';
    expect(start('')).toBe(`${worked} || exit 126; export tag`);
    expect(start(', default: v0')).toBe(`${worked} || tag="v0"; export tag`);
  });

  test('D-19: a run that is to be started again is told; one that is not says what holds anyway', () => {
    const retried = (limit: number) => told(`retry_policy: { limit: ${limit} }\nsteps: [{ id: a, run: make }]`);
    expect(retried(0)).toEqual([]);
    expect(retried(2)).toEqual([
      '1 dialect/not-run `retry_policy` of a whole run is not run by Setpoint; retry a run with `setpoint retry`',
    ]);
  });

  test('`exec` knows the variables of its host, and leaves the others as they are written', () => {
    const text = 'steps: [{ id: a, action: exec, with: { command: echo, args: ["$HOME", "${NONE}"] } }]';
    expect(planOf(text)?.steps[0]?.work).toMatchObject({
      command: '\'echo\' "${HOME-\\$HOME}" "${NONE-\\${NONE\\}}"',
    });
  });
});

describe('D-01: names mean one thing', () => {
  test('white space around them and `depends:` without a value say nothing', () => {
    const text =
      'steps:\n  - { id: " a ", name: " Build it ", depends: null, run: make }\n  - { run: x, depends: Build it }';
    expect(planOf(text)?.steps.map(({ id, name, after }) => [id, name, after])).toEqual([
      ['a', 'Build it', []],
      ['step-2', 'step-2', ['a']],
    ]);
  });

  test('what would name two is told', () => {
    const same = ['steps:', '  - { id: a, name: same, run: x }', '  - { id: b, name: same, run: x }'];
    expect(told(same.join('\n'))).toEqual(['3 step/duplicate-id two steps are named `same`; rename one']);
    const crossed = ['steps:', '  - { id: a, name: first, run: x }', '  - { name: a, run: x }'];
    expect(told(crossed.join('\n'))).toEqual(['3 step/duplicate-id two steps are named `a`; rename one']);
    expect(told('steps: [{ id: a, run: x, outputs: [{ name: v }, { name: v }] }]')).toEqual([
      '1 definition/conflict two outputs are named `v`; keep one',
    ]);
    const twins = '---\nname: child\nsteps: [{ run: x }]\n';
    const calls = 'steps: [{ action: dag.run, with: { dag: child } }]\n';
    expect(told(`${calls}${twins}${twins}`)).toEqual([
      '6 definition/conflict two documents are named `child`; rename one, so that a call says which it means',
    ]);
  });
});

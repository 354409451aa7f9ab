import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunOutcome } from '#core/contract/http.ts';
import { fakeAgentSettings, fakeCodex } from './fake-agents.ts';
import { fakeClaude } from './fake-claude.ts';
import type { Repository } from './repository.ts';
import { writeFiles } from './repository.ts';
import { ownStack, testSecret, type TestStack } from './stack.ts';

/** Workflows of Dagu as files, run as they are written, with stand-ins for the programs of agents and validators. */

let stack: TestStack;
let folder: string;

/** What the seed's validator says of a reply without a summary. */
const validator = `#!/bin/sh
grep -q '"summary"' "$3" && exit 0
echo "Schema validation errors were encountered."
echo "  $3::$: 'summary' is a required property"
exit 1
`;

beforeAll(async () => {
  folder = mkdtempSync('/var/tmp/setpoint-dagu-');
  const settings = fakeAgentSettings(folder);
  const gh = `#!/bin/sh\n[ "$*" = 'pr checks --watch --fail-fast' ] && [ -n "$${testSecret.name}" ]\n`;
  writeFiles(join(folder, 'bin'), { gh, make: '#!/bin/sh\nexec ./make.sh "$@"\n', 'check-jsonschema': validator });
  stack = await ownStack({
    ...settings,
    OPENAI_API_KEY: 'sk-test-of-the-other-agent',
    PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
  });
  const up = await stack.cli(['up', '--detach']);
  if (up.code !== 0) throw new TypeError(`the stack did not start: ${up.stderr}`);
});

afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true, force: true });
});

const fixture = (name: string): string =>
  readFileSync(new URL(`../../dialects/dagu/fixtures/${name}.yaml`, import.meta.url), 'utf8');

/** A workflow as it stands in the manual; only the folder that it works in is the test's own. */
const manual = (name: string, { path }: Repository): string =>
  fixture(name).replace('working_dir: /repos/app\n', `working_dir: ${path}\n`);

/** What the agent of a step was asked in each pass, its arguments first. */
function asked(runId: string, step: string): string[] {
  const home = join(stack.home, 'agent-homes', runId, 'agents', step);
  const names = readdirSync(home).filter((name) => name.startsWith('asked-'));
  return names.toSorted().map((name) => readFileSync(join(home, name), 'utf8'));
}

/** Starts it and gives up waiting once it waits for a person. */
async function started(repository: Repository, text: string, ...flags: string[]): Promise<RunOutcome> {
  const argv = ['run', repository.definition(text), '--no-wait', '--quiet', ...flags];
  const { code, stdout, stderr } = await stack.cli(argv, { cwd: repository.path });
  expect([code, stderr]).toEqual([3, '']);
  return RunOutcome.parse(JSON.parse(stdout));
}

async function ended(runId: string): Promise<number | null> {
  return (await stack.cli(['watch', runId, '--quiet'])).code;
}

const read = (repository: Repository, name: string): string => readFileSync(join(repository.path, name), 'utf8');
const there = (repository: Repository, name: string): boolean => existsSync(join(repository.path, name));

describe.concurrent('the three workflows, from their files', () => {
  const suite = '#!/bin/sh\ntest -e mended || { echo "2 failed: it is not mended"; exit 1; }\n';

  test('D-02, D-03, D-05, D-06, D-18: fix until green: the log of the last failure reaches the next attempt, and a step is the judge', async () => {
    const artifacts = `log=$(printf '%s' "$prompt" | sed -n 's/^If \\(.*\\) exists, it holds.*/\\1/p')`;
    const repository = stack.repository({
      'make.sh': suite,
      'fake-codex': fakeCodex(`${artifacts}\ntest ! -e "$log" || { cp "$log" seen.log; touch mended; }`),
    });
    const run = await stack.run(repository, manual('fix-until-green', repository));
    expect([run.code, run.outcome.stop]).toEqual([0, 'succeeded']);
    expect(run.of('loop.fired')).toHaveLength(1);
    expect(read(repository, 'seen.log')).toBe('2 failed: it is not mended\n');
    expect(asked(run.outcome.runId, 'fix')).toHaveLength(2);
    expect(run.outcome.branch).toBeNull();
  });

  test('D-04, D-05: out of attempts the loop ends, and the step after it fails the run', async () => {
    const repository = stack.repository({ 'make.sh': suite, 'fake-codex': fakeCodex('true') });
    const run = await stack.run(repository, manual('fix-until-green', repository));
    expect([run.code, run.outcome.stop]).toEqual([1, 'failed']);
    expect(run.of('loop.fired')).toHaveLength(4);
    expect(run.of('step.succeeded').map(({ step }) => step)).toEqual(['fix']);
    expect(run.of('step.failed').map(({ step }) => step)).toEqual(['tests_pass']);
  });

  test('D-07, D-08, D-09, D-10, D-18: release notes: a push back reaches the agent, a bad form changes nothing, completing publishes', async () => {
    const repository = stack.repository({
      'publish-notes.sh': '#!/bin/sh\ncp "$1" published.md\n',
      'fake-agent': fakeClaude({ work: 'true' }).replace(`say '"Done."'`, `say "\\"draft $pass\\""`),
    });
    const { runId, task = '' } = await started(repository, manual('release-notes', repository));
    expect((await stack.cli(['tasks', 'show', task])).stdout).toContain('draft 1');
    const refused = await stack.cli(['push-back', task, '--set', 'fedback=Shorter']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('feedback')]);
    expect(asked(runId, 'draft')).toHaveLength(1);
    expect((await stack.cli(['push-back', task, '--set', 'feedback=Name the flag.'])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--no-wait', '--quiet'])).code).toBe(3);
    const [, second = ''] = asked(runId, 'draft');
    expect(second).toContain('Name the flag.');
    expect((await stack.cli(['complete', runId])).code).toBe(0);
    expect(await ended(runId)).toBe(0);
    expect(read(repository, 'published.md').trim()).toBe('draft 2');
  });

  test('D-08: stopping ends it: a rejection publishes nothing', async () => {
    const repository = stack.repository({
      'publish-notes.sh': '#!/bin/sh\ncp "$1" published.md\n',
      'fake-agent': fakeClaude({ work: 'true' }),
    });
    const { runId } = await started(repository, manual('release-notes', repository));
    expect((await stack.cli(['reject', runId, '--message', 'No.'])).code).toBe(0);
    expect(await ended(runId)).toBe(1);
    expect(there(repository, 'published.md')).toBe(false);
  });

  test('D-07, D-18: triage: each reply replaces the file, and the errors of the validator reach the next attempt', async () => {
    const reply = (fields: object): string => JSON.stringify(fields).replaceAll('"', String.raw`\"`);
    const errors = `errors=$(printf '%s' "$prompt" | sed -n 's/^If \\(.*\\) exists, your last.*/\\1/p')`;
    const first = reply({ severity: 'critical', area: 'api' });
    const second = reply({ severity: 'high', area: 'api', summary: 'It hangs' });
    const repository = stack.repository({
      'REPORT.md': 'It hangs.\n',
      'triage.schema.json': '{}',
      'fake-codex': fakeCodex(
        `${errors}\nif [ -e "$errors" ] && grep -q summary "$errors"; then said='${second}'; else said='${first}'; fi`,
      ),
    });
    const run = await stack.run(repository, manual('triage', repository));
    expect([run.code, run.outcome.stop]).toEqual([0, 'succeeded']);
    expect(run.of('loop.fired')).toHaveLength(1);
  });
});

describe.concurrent('loops within loops', () => {
  test('D-12, D-25: a child run in a later document closes the loop by its review, which the next round reads', async () => {
    const said = (reply: object): string => JSON.stringify(reply).replaceAll('"', String.raw`\"`);
    const repository = stack.repository({
      'fake-agent': fakeClaude({ work: 'test ! -e review.json || cp review.json seen.json\necho x >> work.txt' }),
      // The first reply does not fit the schema, so its round fails, leaves no review, and is repeated.
      'fake-codex': fakeCodex(`case "$(wc -l < work.txt)" in
*1) said='${said({ approved: 'maybe' })}';;
*2) said='${said({ approved: false, notes: 'Name it.' })}';;
*) grep -q 'Name it' seen.json && said='${said({ approved: true, notes: 'x' })}';;
esac`),
    });
    const run = await stack.run(repository, fixture('reviewer'));
    expect([run.code, run.outcome.stop]).toEqual([0, 'succeeded']);
    expect(run.of('loop.fired')).toHaveLength(2);
    expect(read(repository, 'work.txt')).toBe('x\nx\nx\n');
    expect(JSON.parse(read(repository, 'seen.json'))).toMatchObject({ approved: false });
  });

  test('D-11: a reply that does not fit its schema fails the step: a gate', async () => {
    const repository = stack.repository({
      'check.sh': '#!/bin/sh\ntrue\n',
      'TASK.md': 'x\n',
      'fake-agent': fakeClaude({ work: 'true' }),
      'fake-codex': fakeCodex(String.raw`said='{\"approved\":false}'`),
    });
    const run = await stack.run(repository, fixture('stacked'));
    expect([run.code, run.outcome.stop]).toEqual([1, 'failed']);
    expect(run.of('step.failed').map(({ step }) => step)).toEqual(['review']);
  });

  test('D-20, D-22: command, reviewer and person stack, and a push back starts the inner loop with a fresh budget', async () => {
    const repository = stack.repository({
      'check.sh': '#!/bin/sh\ntest "$(( $(wc -l < work.txt) % 2 ))" = 0 || { echo odd; exit 1; }\n',
      'TASK.md': 'x\n',
      'fake-agent': fakeClaude({ work: 'echo x >> work.txt' }),
      'fake-codex': fakeCodex(String.raw`said='{\"approved\":true}'`),
    });
    const { runId, task = '' } = await started(repository, fixture('stacked'));
    expect(asked(runId, 'implement')).toHaveLength(2);
    expect(asked(runId, 'review')).toHaveLength(1);
    expect((await stack.cli(['push-back', task, '--set', 'feedback=Again.'])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--no-wait', '--quiet'])).code).toBe(3);
    expect(asked(runId, 'implement')).toHaveLength(4);
    expect(asked(runId, 'review')).toHaveLength(2);
    expect((await stack.cli(['complete', runId])).code).toBe(0);
    expect(await ended(runId)).toBe(0);
  });
});

describe.concurrent('the rest of the manual', () => {
  test('D-14: parameters, variables, conditions, handlers and what may fail, run as in the manual', async () => {
    const text = `
params:
  - WHO: world
  - name: count
    type: integer
    default: 2
dotenv: .env.local
env:
  - GREETING: hello \${WHO}
  - DAY: $(printf monday)
handler_on:
  success: echo "\${context.run.status}" > success.txt
  failure: touch failure.txt
  exit: touch exit.txt
preconditions:
  - condition: \${WHO}
    expected: re:^w
steps:
  - id: say
    run: echo "$GREETING on $DAY with $FROM_FILE and '\${params.count}'"
    output: SAID
  - id: may_fail
    run: exit 3
    continue_on: { exit_code: [3] }
  - id: skipped
    depends: say
    preconditions:
      - condition: \${SAID}
        expected: nothing
    run: touch skipped.txt
  - id: after_skipped
    depends: skipped
    run: touch after-skipped.txt
  - id: keep
    depends: [say, may_fail]
    preconditions:
      - condition: test -e never
        negate: true
    run: |
      printf '%s\\n' "$SAID" > said.txt
      printf '%s\\n' '\${SAID}' '\${say.output}' >> said.txt
`;
    const repository = stack.repository({ '.env.local': 'FROM_FILE=a-file\n' });
    const run = await stack.run(repository, text, '--input', 'count=3');
    expect([run.code, run.outcome.stop]).toEqual([0, 'succeeded']);
    const said = "hello world on monday with a-file and '3'";
    expect(read(repository, 'said.txt')).toBe(`${said}\n\${SAID}\n${said}\n`);
    expect(['skipped.txt', 'after-skipped.txt', 'failure.txt'].filter((name) => there(repository, name))).toEqual([]);
    expect([read(repository, 'success.txt'), there(repository, 'exit.txt')]).toEqual(['succeeded\n', true]);
  });

  test('D-14: with `shell: bash -o pipefail` a pipe fails with what failed in it, in steps and in conditions', async () => {
    const text = (shell: string): string => `${shell}steps:
  - id: checked
    run: echo x >> tries.txt
    repeat_policy: { repeat: until, condition: test -e never | tee test.log, limit: 2 }
  - id: judge
    depends: checked
    run: test -e never | tee test.log
`;
    const careful = stack.repository();
    expect((await stack.run(careful, text('shell: bash -o pipefail\n'))).code).toBe(1);
    expect(read(careful, 'tries.txt')).toBe('x\nx\n');
    const careless = stack.repository();
    expect((await stack.run(careless, text(''))).code).toBe(0);
    expect(read(careless, 'tries.txt')).toBe('x\n');
  });

  test('D-14: what is not met before the first step starts none of them', async () => {
    const handlers = 'handler_on:\n  failure: { run: touch failure.txt }\n  abort: { run: touch abort.txt }\n';
    const text = `preconditions:\n  - condition: test -e never\n${handlers}steps:\n  - id: a\n    run: touch a.txt\n`;
    const repository = stack.repository();
    const run = await stack.run(repository, text);
    expect([run.code, run.outcome.stop]).toEqual([4, 'cancelled']);
    expect(['a.txt', 'failure.txt', 'abort.txt'].filter((name) => there(repository, name))).toEqual(['abort.txt']);
  });

  test('D-13: a crash is repeated, a time-out is not', async () => {
    const retried = (more: string): string =>
      `steps:\n  - id: a\n    run: echo x >> tries.txt; ${more}\n    timeout_sec: 1\n    retry_policy: { limit: 2, interval_sec: 0 }\n`;
    const crashes = stack.repository();
    expect((await stack.run(crashes, retried('exit 1'))).code).toBe(1);
    expect(read(crashes, 'tries.txt')).toBe('x\nx\nx\n');
    const hangs = stack.repository();
    expect((await stack.run(hangs, retried('sleep 60'))).code).toBe(1);
    expect(read(hangs, 'tries.txt')).toBe('x\n');
  });

  test('D-15: an attempt that fails or times out is repeated, too, while the limit allows', async () => {
    const text = `steps:
  - id: a
    run: |
      echo x >> tries.txt
      test "$(wc -l < tries.txt)" != 1 || exit 7
      test "$(wc -l < tries.txt)" != 2 || sleep 60
    timeout_sec: 1
    repeat_policy: { repeat: until, condition: 'test "$(wc -l < tries.txt)" = 3', limit: 5 }
`;
    const repository = stack.repository();
    expect((await stack.run(repository, text)).code).toBe(0);
    expect(read(repository, 'tries.txt')).toBe('x\nx\nx\n');
  });

  test('D-01, D-23: state in the working folder is there for the next run', async () => {
    const text = `type: chain
steps:
  - mkdir -p state
  - id: before
    run: cat state/cursor 2>/dev/null || echo 0
    output: CURSOR
  - id: after
    run: echo "$(( CURSOR + 1 ))" > state/cursor
`;
    const repository = stack.repository();
    expect((await stack.run(repository, text)).code).toBe(0);
    expect((await stack.run(repository, text)).code).toBe(0);
    expect(read(repository, 'state/cursor')).toBe('2\n');
  });

  test('D-03: a repeat judged by what the step itself said, by its exit code, and by its success', async () => {
    const text = `steps:
  - id: said
    run: echo x >> said.txt; test "$(wc -l < said.txt)" -lt 3 && echo waiting || echo ready
    output: STATUS
    repeat_policy: { repeat: until, condition: "\${STATUS}", expected: ready, limit: 9 }
  - id: code
    depends: said
    run: echo x >> code.txt; test "$(wc -l < code.txt)" = 2
    repeat_policy: { repeat: until, exit_code: 0, limit: 9, interval_sec: 0.1 }
  - id: succeeds
    depends: code
    run: echo x >> succeeds.txt
    repeat_policy: { repeat: true, limit: 2 }
`;
    const repository = stack.repository();
    expect((await stack.run(repository, text)).code).toBe(0);
    expect(['said', 'code', 'succeeds'].map((name) => read(repository, `${name}.txt`).length / 2)).toEqual([3, 2, 2]);
  });

  test('D-14, D-25: a child runs for each item, and gives its variables by name where it runs once', async () => {
    const text = `env: [{ FROM: "\${WHO}" }]
params: [{ WHO: parent }]
steps:
  - id: each
    action: dag.run
    with: { dag: greet, params: { NAME: "\${FROM}-\${ITEM}" } }
    parallel: { items: [a, b], max_concurrent: 1 }
  - id: once
    depends: each
    action: dag.run
    with: { dag: greet, params: "NAME=once" }
  - id: use
    depends: once
    run: printf '%s\\n' '\${once.outputs.GREETING}' > used.txt
---
name: greet
params: [{ NAME: "" }]
steps:
  - id: hello
    run: echo "hello $NAME" | tee -a hello.txt
    output: GREETING
`;
    const repository = stack.repository();
    expect((await stack.run(repository, text)).code).toBe(0);
    expect(read(repository, 'hello.txt').split('\n').toSorted().join(' ')).toBe(
      ' hello once hello parent-a hello parent-b',
    );
    expect(read(repository, 'used.txt')).toBe('hello once\n');
  });

  test('D-24: a condition is given the secret that the file names, and only then', async () => {
    const text = (secrets: string): string => `${secrets}steps:
  - id: a
    run: echo x >> tries.txt
    repeat_policy: { repeat: until, condition: gh pr checks --watch --fail-fast, limit: 2 }
`;
    const granted = stack.repository();
    const { name } = testSecret;
    expect((await stack.run(granted, text(`secrets: [{ name: ${name}, provider: env, key: ${name} }]\n`))).code).toBe(
      0,
    );
    expect(read(granted, 'tries.txt')).toBe('x\n');
    const refused = stack.repository();
    await stack.run(refused, text(''));
    expect(read(refused, 'tries.txt')).toBe('x\nx\n');
  });

  test('D-14: stopping a run calls `abort` and `exit`', async () => {
    const text = `handler_on: { abort: touch aborted.txt, failure: touch failed.txt, exit: touch exit.txt }
steps:
  - id: wait
    run: sleep 600
`;
    const repository = stack.repository();
    const following = stack.start(['run', repository.definition(text), '--json'], { cwd: repository.path });
    const [, runId = ''] = await following.says(/"runId":"(run_\w+)"/);
    await following.says(/"type":"attempt\.started"/);
    expect((await stack.cli(['cancel', runId])).code).toBe(0);
    expect((await following.ended).code).toBe(4);
    expect(['aborted.txt', 'failed.txt', 'exit.txt'].map((name) => there(repository, name))).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('D-14: outputs that a step writes into its file are read by name, JSON by its path', async () => {
    const text = `steps:
  - id: build
    run: |
      printf 'image=api "v1"\\n' >> "$DAGU_OUTPUT_FILE"
      printf 'meta<<END\\n{"tag":{"name":"v1.2"}}\\nEND\\n' >> "$DAGU_OUTPUT_FILE"
    outputs: [{ name: image }, { name: meta, type: json }]
  - id: use
    depends: build
    env: { IMAGE: "\${steps.build.outputs.image}" }
    run: printf '%s|%s\\n' "$IMAGE" '\${build.outputs.meta.tag.name}' > used.txt
`;
    const repository = stack.repository();
    expect((await stack.run(repository, text)).code).toBe(0);
    expect(read(repository, 'used.txt')).toBe('api "v1"|v1.2\n');
  });
});

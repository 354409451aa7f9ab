import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentPlacesOf } from '#activities/workspace/places.ts';
import { RunOutcome } from '#core/contract/http.ts';
import { fakeAgentSettings, fakeCodex, fakePi } from './fake-agents.ts';
import { fakeClaude } from './fake-claude.ts';
import { type Repository, writeFiles } from './repository.ts';
import { ownStack, type TestStack } from './stack.ts';

/** The examples of two systems as files, run as they are written, with stand-ins for the agents' programs. */

let stack: TestStack;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync('/var/tmp/setpoint-agents-');
  const settings = fakeAgentSettings(folder);
  writeFiles(join(folder, 'bin'), { 'fake-amp': '#!/bin/sh\nexec ./fake-amp "$@"\n' });
  stack = await ownStack({
    ...settings,
    SETPOINT_AGENT_AMP: join(folder, 'bin', 'fake-amp'),
    AMP_API_KEY: 'sk-test-of-a-text-agent',
    OPENAI_API_KEY: 'sk-test-of-the-other-agent',
  });
  const { code, stderr } = await stack.cli(['up', '--detach']);
  if (code !== 0) throw new TypeError(`the stack did not start: ${stderr}`);
});

afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true, force: true });
});

const fixture = (path: string): string => readFileSync(new URL(`../../dialects/${path}`, import.meta.url), 'utf8');

/** What the agent of a step was asked in each pass, its arguments first. */
function asked(runId: string, step: string): string[] {
  const { home } = agentPlacesOf(stack.home, runId, step);
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

describe.concurrent('verdict steps, from their files', () => {
  test('V-02, V-16, V-19, V-20: the review loop runs as written: what the reviewer said sends the work back', async () => {
    const said =
      'if [ "$pass" = 1 ]; then said="1. Name it.\\\\nVERDICT: CHANGES_REQUESTED"; else said="VERDICT: APPROVE"; fi';
    const repository = stack.repository({
      'check.sh': 'test -s work.txt\n',
      'fake-agent': fakeClaude({ work: 'case "$prompt" in *"Implementation plan"*) echo "$prompt" > work.txt;; esac' }),
      'fake-codex': fakeCodex(said),
    });
    const ended = await stack.run(repository, fixture('verdict-steps/fixtures/review-loop.json'));
    expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
    expect(ended.of('loop.fired').map(({ message }) => message)).toEqual([
      '↺ Cross-model review requested another pass: looping back to "implement" (1/2)',
    ]);
    const [first = '', second = ''] = asked(ended.outcome.runId, 'implement');
    expect(first).not.toContain('A reviewer requested changes');
    expect(second).toContain('Address every point:\n1. Name it.\nVERDICT: CHANGES_REQUESTED\n');
    expect(asked(ended.outcome.runId, 'review')[0]).toContain('Review `git diff main...HEAD` for APP-7.');
  });

  test('V-13, V-19: the test loop runs as written: a failing suite goes back to the fixer', async () => {
    const repository = stack.repository({
      'check.sh': 'test -e mended || { echo "2 failed: it is not mended"; exit 1; }\n',
      'fake-codex': fakeCodex('test "$pass" = 1 || touch mended'),
    });
    const ended = await stack.run(repository, fixture('verdict-steps/fixtures/test-loop.json'));
    expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
    const [first = '', second = ''] = asked(ended.outcome.runId, 'fix');
    expect(first).not.toContain('failed the test suite');
    expect(second).toContain('The previous fix failed the test suite:\n2 failed: it is not mended');
    expect(repository.git('ls-tree', '--name-only', ended.outcome.branch ?? '')).toContain('mended');
  });

  test('V-02, V-03, R003: colours hide nothing from a pattern', async () => {
    const repository = stack.repository();
    const coloured = (id: string, text: string, more: object) => ({
      id,
      type: 'shell',
      command: `printf '${text}\\n'`,
      ...more,
    });
    const ended = await stack.run(repository, {
      steps: [
        coloured('red', '\\033[1m\\033[31m2 failed\\033[39m\\033[22m, 5 passed', {
          failPattern: '\\b[1-9]\\d* failed\\b',
          continueOnError: true,
        }),
        coloured('green', '\\033[32m0 failed\\033[0m', { passPattern: '\\b0 failed\\b', dependsOn: ['red'] }),
      ],
    });
    expect([ended.code, ended.of('step.failed').map(({ step, reason }) => [step, reason])]).toEqual([
      0,
      [['red', 'Verdict: output matched fail pattern /\\b[1-9]\\d* failed\\b/']],
    ]);
  });

  const prints = (id: string, command: string, more: object) => ({ id, type: 'shell', command, ...more });

  test('V-04, V-11: a pattern is matched anywhere, in either case, at the edges of lines; no output passes a fail pattern alone', async () => {
    const lets = { continueOnError: true };
    const verdicts = "printf 'VERDICT: APPROVE\\nNo, wait.\\nVerdict: changes_requested\\n'";
    const ended = await stack.run(stack.repository(), {
      steps: [
        prints('case', 'echo "I say: verdict:  approve, then"', { passPattern: 'VERDICT:\\s*APPROVE' }),
        prints('lines', "printf 'Is it?\\n Yes \\n'", { passPattern: '^\\s*yes\\s*$' }),
        prints('last', verdicts, { passPattern: 'VERDICT:\\s*APPROVE(?![\\s\\S]*VERDICT)', ...lets }),
        prints('no-verdict', 'echo "It looks fine."', { passPattern: 'VERDICT:\\s*APPROVE', ...lets }),
        prints('empty', 'true', { passPattern: '.*', ...lets }),
        prints('empty-too', 'true', { failPattern: 'CHANGES_REQUESTED' }),
      ],
    });
    expect([ended.code, ended.of('step.succeeded').map(({ step }) => step)]).toEqual([
      0,
      ['case', 'lines', 'empty-too'],
    ]);
    expect(ended.of('step.failed').map(({ step, reason }) => [step, reason])).toEqual([
      ['last', 'Verdict: output did not match pass pattern /VERDICT:\\s*APPROVE(?![\\s\\S]*VERDICT)/'],
      ['no-verdict', 'Verdict: output did not match pass pattern /VERDICT:\\s*APPROVE/'],
      ['empty', 'Verdict: output did not match pass pattern /.*/'],
    ]);
  });

  test('V-05, V-24: what exits otherwise or takes too long fails whatever it says, and is retried before it loops', async () => {
    const repository = stack.repository();
    const says = (id: string, then: string, more: object) =>
      prints(id, `echo "VERDICT: APPROVE"; ${then}`, {
        passPattern: 'VERDICT: APPROVE',
        failPattern: 'VERDICT',
        continueOnError: true,
        ...more,
      });
    const ended = await stack.run(repository, {
      steps: [
        says('exits', 'exit 7', { retries: 1, loopBackTo: 'exits', maxLoops: 1 }),
        says('hangs', 'sleep 60', { timeoutMinutes: 0.02, dependsOn: ['exits'] }),
      ],
    });
    expect(ended.of('attempt.started').map(({ step, pass, attempt }) => `${step}#${pass}.${attempt}`)).toEqual([
      'exits#1.1',
      'exits#1.2',
      'exits#2.1',
      'exits#2.2',
      'hangs#2.1',
    ]);
    const reasons = ended.of('step.failed').map(({ step, reason }) => `${step}: ${reason}`);
    expect(reasons).toEqual([expect.stringMatching(/^exits: .*7/), expect.stringMatching(/^hangs: /)]);
    expect(reasons.join(' ')).not.toContain('Verdict:');
  });

  test('V-07: an agent with a final answer is judged by it, a text agent by all that it prints, a shell by the end of both streams', async () => {
    const repository = stack.repository({
      'fake-codex': fakeCodex('echo "VERDICT: APPROVE" >&2; echo "VERDICT: APPROVE"; said="I am not sure."'),
      'fake-amp': '#!/bin/sh\ncat > /dev/null\necho "I think about it: VERDICT: APPROVE"\necho "I am not sure."\n',
    });
    const pattern = { passPattern: 'VERDICT: APPROVE', continueOnError: true };
    const agent = (id: string, harnessId: string) => ({
      id,
      type: 'agent',
      harnessId,
      prompt: 'Review it.',
      ...pattern,
    });
    const ended = await stack.run(repository, {
      steps: [
        agent('answers', 'codex'),
        agent('prints', 'amp'),
        prints('streams', 'echo "VERDICT: APPROVE" >&2; echo end', pattern),
        prints('within', `echo "VERDICT: APPROVE"; head -c 19000 /dev/zero | tr '\\0' x`, pattern),
        prints('before', `echo "VERDICT: APPROVE"; head -c 20000 /dev/zero | tr '\\0' x`, pattern),
      ],
    });
    expect(ended.of('step.succeeded').map(({ step }) => step)).toEqual(['prints', 'streams', 'within']);
    expect(ended.of('step.failed').map(({ step }) => step)).toEqual(['answers', 'before']);
  });

  test('V-22: the rejection loop runs as written: the comment of whoever rejects reaches the next attempt', async () => {
    const repository = stack.repository({ 'fake-codex': fakeCodex('echo "$prompt" > work.txt') });
    const { runId, task = '' } = await started(repository, fixture('verdict-steps/fixtures/rejection-loop.json'));
    expect((await stack.cli(['tasks', 'show', task])).stdout).toContain(
      'Approve APP-7, or reject with what to change.',
    );
    expect((await stack.cli(['reject', task, '--message', 'Name the flag.'])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--no-wait', '--quiet'])).code).toBe(3);
    const [, second = ''] = asked(runId, 'implement');
    expect(second).toContain('rejected the previous attempt with this feedback:\nName the flag.');
    expect((await stack.cli(['approve', runId])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--quiet'])).code).toBe(0);
  });

  test('V-22: the loop clears comment and approver of an approval, its output keeps the comment; an approval fills them again', async () => {
    const { steps, ...rest } = JSON.parse(fixture('verdict-steps/fixtures/rejection-loop.json')) as { steps: object[] };
    const approve = { ...steps.at(-1), dependsOn: ['implement'] };
    const implement = {
      id: 'implement',
      type: 'agent',
      harnessId: 'codex',
      prompt:
        'Comment: [{{steps.approve.comment}}] by [{{steps.approve.approvedBy}}], output: [{{steps.approve.output}}]',
    };
    const tell = {
      id: 'tell',
      type: 'shell',
      command: 'echo {{steps.approve.comment}} said {{steps.approve.approvedBy}}',
      dependsOn: ['approve'],
    };
    const repository = stack.repository({ 'fake-codex': fakeCodex('echo "$pass" > work.txt') });
    const { runId, task = '' } = await started(
      repository,
      JSON.stringify({ ...rest, steps: [implement, approve, tell] }),
    );
    expect((await stack.cli(['reject', task, '--message', 'Name the flag.'])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--no-wait', '--quiet'])).code).toBe(3);
    const [first = '', second = ''] = asked(runId, 'implement');
    expect(first).toContain('Comment: [] by [], output: []');
    expect(second).toContain('Comment: [] by [], output: [Name the flag.]');
    expect((await stack.cli(['approve', runId, '--message', "It's good."])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--quiet'])).code).toBe(0);
    expect((await stack.cli(['logs', runId, '--step', 'tell'])).stdout).toMatch(/It's good\. said \S+/);
  });

  test('V-01, V-14, V-23: the Feature file runs as written: tests, then the review, then a person', async () => {
    const review = 'test -e reviewed-once && said="VERDICT: APPROVE" || said="VERDICT: CHANGES_REQUESTED"';
    const implement = [
      'case "$prompt" in',
      '*"failed, mend"*"asked for changes"*) echo 3 > work.txt; touch reviewed-once;;',
      '*"failed, mend"*) echo 2 > work.txt; touch tested;;',
      '*"Implementation plan"*) echo 1 > work.txt;;',
      'esac',
    ].join('\n');
    const repository = stack.repository({
      'package.json': '{"name":"x","scripts":{"test":"test -e tested"}}',
      'fake-agent': fakeClaude({ work: implement }),
      'fake-codex': fakeCodex(review),
    });
    const inputs = ['--input', 'issue-key=APP-7', '--input', 'issue-title=Say hello'];
    const { runId } = await started(repository, fixture('verdict-steps/fixtures/feature.json'), ...inputs);
    expect(asked(runId, 'plan')[0]).toContain('Write an implementation plan for APP-7: Say hello');
    expect(asked(runId, 'implement')).toHaveLength(3);
    expect((await stack.cli(['approve', runId])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--quiet'])).code).toBe(0);
    const shown = JSON.parse((await stack.cli(['show', runId, '--json'])).stdout) as { summary: { stop: unknown } };
    expect(shown.summary.stop).toMatchObject({ kind: 'succeeded' });
  });
});

describe.concurrent('task files', () => {
  const server = (body: string): string =>
    `import { createServer } from 'node:http';\nexport const server = createServer((request, response) => { ${body} });\n`;
  const endpoint = `if (request.url === '/health') { response.setHeader('content-type', 'application/json'); response.end(JSON.stringify({ status: 'ok' })); return; } response.statusCode = 404; response.end();`;
  const suite = `import assert from 'node:assert/strict';
import test from 'node:test';
import { server } from './server.mjs';
test('GET /health', async () => {
  await new Promise((resolve) => server.listen(0, resolve));
  const answer = await fetch('http://localhost:' + server.address().port + '/health');
  server.close();
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { status: 'ok' });
});
`;
  const writes = (name: string, text: string): string => `cat > ${name} <<'END'\n${text}END\n`;

  test('T-01, T-09, T-11, T-13: the health endpoint runs as written: the failing tests are told to the next pass', async () => {
    const repository = stack.repository({
      'package.json': '{"name":"app","type":"module","scripts":{"test":"node --test"}}',
      'server.mjs': server('response.statusCode = 404; response.end();'),
      'fake-pi': fakePi(
        `${writes('server.test.mjs', suite)}if [ "$pass" != 1 ]; then\n${writes('server.mjs', server(endpoint))}fi`,
      ),
    });
    const head = repository.git('rev-parse', 'HEAD');
    const ended = await stack.run(repository, fixture('task-file/fixtures/health-endpoint.task.json'));
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([0, 'succeeded', 2]);
    expect(ended.of('check.judged').map(({ check, verdict }) => `${check} ${verdict.kind}`)).toEqual([
      'tests fail',
      'tests pass',
    ]);
    const [first = '', second = ''] = asked(ended.outcome.runId, 'work');
    expect(first).toContain('Add GET /health returning HTTP 200 with {"status":"ok"} and add tests.');
    expect(second).toContain('### check "tests" of step "work", in pass 1: fail');
    expect(second).toMatch(/## The work so far[^]*added server\.test\.mjs/);
    expect(first).not.toContain('## The work so far');
    expect([ended.outcome.commit, ended.outcome.branch, repository.git('rev-parse', 'HEAD')]).toEqual([
      null,
      null,
      head,
    ]);
    // Nothing is delivered, so the work is where it was made (T-09).
    const worktree = ended.of('workspace.opened')[0]?.path ?? '';
    expect(existsSync(join(worktree, 'server.test.mjs'))).toBe(true);
  });

  test('T-05, T-06, T-07: every gate is asked each pass; a reviewer gets the commands’ results and its own earlier verdict', async () => {
    const verdict = (passed: boolean): string =>
      JSON.stringify({
        passed,
        summary: 'One criterion',
        blockingFindings: passed ? [] : [{ criterion: 'The limit is named', evidence: 'work.txt has none' }],
        advisories: ['Shorter words'],
        evidence: [],
      });
    const said = (passed: boolean): string => `said='${verdict(passed).replaceAll('"', '\\"')}'`;
    const repository = stack.repository({
      'fake-agent': fakeClaude({ work: 'echo "$pass" >> work.txt' }),
      'fake-codex': fakeCodex(`if [ "$pass" = 1 ]; then ${said(false)}; else ${said(true)}; fi`),
    });
    const task = {
      name: 'limits',
      goal: 'Name the limit in work.txt.',
      agent: { provider: 'claude' },
      verification: [
        { type: 'command', name: 'twice', command: 'test "$(wc -l < work.txt)" -ge 2' },
        { type: 'agent', name: 'security-review', provider: 'codex', prompt: 'The limit is named.' },
      ],
      limits: { maxIterations: 3 },
    };
    const ended = await stack.run(repository, task);
    expect([ended.code, ended.outcome.passes]).toEqual([0, 2]);
    expect(ended.of('check.judged').map(({ check, verdict: { kind } }) => `${check} ${kind}`)).toEqual([
      'twice fail',
      'security-review fail',
      'twice pass',
      'security-review pass',
    ]);
    const [, second = ''] = asked(ended.outcome.runId, 'work');
    expect(second).toContain('The limit is named');
    const [, review = ''] = asked(ended.outcome.runId, 'work/security-review');
    expect(review).toContain('What the checks before you found in this pass');
    expect(review).toMatch(/What you said of earlier passes[^]*Pass 1: fail[^]*work\.txt has none/);
  });

  test('T-01, T-13, R011: what a gate writes is rolled back before the next gate looks, and is not delivered', async () => {
    const repository = stack.repository({ VERSION: '1\n', 'fake-codex': fakeCodex('echo done > work.txt') });
    const ended = await stack.run(repository, {
      goal: 'Write work.txt.',
      verification: [
        { name: 'writes', command: 'echo x >> VERSION' },
        { name: 'clean', command: 'git diff --exit-code' },
      ],
      delivery: { mode: 'commit', commitMessage: 'Write it\n\nAs {{asked}}.' },
    });
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([0, 'succeeded', 1]);
    const commit = ended.outcome.commit ?? '';
    expect(repository.git('show', `${commit}:VERSION`)).toBe('1');
    expect(repository.git('log', '-1', '--format=%B', commit)).toMatch(/^Write it\n\nAs \{\{asked\}\}\.\n/);
  });

  test('T-25, R021: running out of iterations is told as such, exit 1', async () => {
    const repository = stack.repository({ 'fake-codex': fakeCodex('echo "$pass" > work.txt') });
    const ended = await stack.run(repository, {
      goal: 'Never.',
      verification: [{ name: 'never', command: 'echo "$(cat work.txt)"; exit 1' }],
      limits: { maxIterations: 2 },
    });
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([1, 'exhausted', 2]);
  });
});

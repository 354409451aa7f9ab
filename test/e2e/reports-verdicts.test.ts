import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { RunOutcome } from '#core/contract/http.ts';
import { jsonRun } from './cli.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

describe.concurrent('a verdict where none was given', () => {
  test('R001: a completion word that the agent only echoed from its prompt does not pass (A9)', async () => {
    const prompt = 'Look at it. End with VERDICT: APPROVE or VERDICT: CHANGES_REQUESTED';
    const agent = { name: 'custom', command: ['sh', '-c', 'cat; echo "I changed one file."'] };
    const steps = { review: { agent, prompt, pass: String.raw`VERDICT:\s*APPROVE` } };
    const ended = await stack.run(stack.repository(), { steps });
    expect([ended.code, ended.outcome.stop]).toEqual([1, 'failed']);
    expect(ended.of('attempt.finished').at(0)?.result.match?.kind).toBe('fail');
    const answers = {
      review: { ...steps.review, agent: { ...agent, command: ['sh', '-c', 'cat; echo VERDICT: APPROVE'] } },
    };
    expect((await stack.run(stack.repository(), { steps: answers })).code).toBe(0);
  });

  test('R001: an empty pattern is an issue (A6)', async () => {
    const file = stack.repository().definition({ steps: { work: { run: 'true', pass: '' } } });
    const ended = await stack.cli(['run', file]);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('pattern/empty')]);
  });

  test('R003: colour codes hide nothing from a pattern (A9)', async () => {
    const red = String.raw`printf '\033[1m\033[31m2 failed\033[39m\033[22m, 5 passed\n'`;
    const green = String.raw`printf '\033[32m0 failed\033[39m\n'`;
    const fails = await stack.run(stack.repository(), {
      steps: { test: { run: red, fail: String.raw`\b[1-9]\d* failed\b` } },
    });
    expect([fails.code, fails.outcome.stop]).toEqual([1, 'failed']);
    const passes = await stack.run(stack.repository(), {
      steps: { test: { run: green, pass: String.raw`\b0 failed\b` } },
    });
    expect(passes.code).toBe(0);
  });
});

describe.concurrent('checks that prove nothing, cannot run, or were red before', () => {
  const agent = { name: 'scripted', passes: ['echo x > added.txt; cat'] };

  test('R005: without stated evidence a suite without tests passes; with it the verdict is missing, until a test is there (B9)', async () => {
    const plain = { task: 'Mend it.', agent, checks: [`node --test nothing/`, 'npm run lint --if-present'] };
    const repository = stack.repository({ 'package.json': '{"name":"x"}' });
    const ended = await stack.run(repository, { ...plain, checks: ['node --test', 'npm run lint --if-present'] });
    expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
    const stated = { ...plain, checks: [{ name: 'tests', run: 'node --test', evidence: { tests: '>=1' } }] };
    const written = `echo "import test from 'node:test'; test('a', () => {});" > a.test.mjs`;
    const mends = await stack.run(repository, { ...stated, agent: { name: 'scripted', passes: ['true', written] } });
    expect([mends.code, mends.outcome.stop, mends.outcome.passes]).toEqual([0, 'succeeded', 2]);
    expect(mends.of('check.judged').map(({ verdict }) => verdict.kind)).toEqual(['missing', 'pass']);
  });

  const needsDependency = {
    '.gitignore': 'node_modules\n',
    'test.js': `require('dependency');\n`,
  };
  const dependency = { 'node_modules/dependency/index.js': 'module.exports = 1;\n' };

  test('R007: with a setup the ignored dependency is there; without, the first brief says that the base fails so (B11, C9)', async () => {
    const repository = stack.repository(needsDependency);
    repository.write(dependency);
    const definition = { task: 'Mend it.', agent, checks: ['node test.js'], limits: { passes: 1 } };
    const bare = await stack.run(repository, definition);
    expect([bare.code, bare.outcome.stop]).toEqual([1, 'exhausted']);
    expect(bare.of('baseline.judged').at(0)?.verdicts.at(0)?.verdict.kind).toBe('fail');
    const brief = await stack.cli(['logs', bare.outcome.runId, '--pass', '1']);
    expect(brief.stdout).toContain('These checks already failed before any work was done');
    expect(brief.stdout).toContain(`Cannot find module 'dependency'`);
    const setup = 'mkdir -p node_modules/dependency && echo > node_modules/dependency/index.js';
    const ready = await stack.run(repository, { ...definition, workspace: { setup } });
    expect([ready.code, ready.outcome.stop]).toEqual([0, 'succeeded']);
  });

  test('F16: a worklist loops the work until nothing is open, reaches the next brief, and is never delivered (B7)', async () => {
    const repository = stack.repository({ 'a.txt': 'a\n' });
    const report = (done: boolean) =>
      `echo '{"loop":{"worklist":[{"task":"Quote \\"$&\\" and $$","done":${done}}]}}' > .setpoint-report.json; echo ${done} > b.txt; cat`;
    const ended = await stack.run(repository, {
      task: 'Work it off.',
      agent: { name: 'scripted', passes: [report(false), report(true)] },
      checks: ['test -f b.txt', { name: 'list', report: { worklist: true } }],
      deliver: 'commit',
    });
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([0, 'succeeded', 2]);
    const brief = await stack.cli(['logs', ended.outcome.runId, '--pass', '2']);
    expect(brief.stdout).toContain('- Quote "$&" and $$');
    expect(repository.git('ls-tree', '--name-only', `${ended.outcome.commit}`).split('\n')).toEqual(['a.txt', 'b.txt']);
  });

  test('R009: mustPass on a red base stops as base_red before any agent has run (B11)', async () => {
    const repository = stack.repository({ 'old.test.mjs': 'throw new Error("old");\n' });
    const definition = {
      task: 'Add a file.',
      agent,
      checks: ['node --test'],
      baseline: 'mustPass',
      limits: { passes: 3 },
    };
    const ended = await stack.run(repository, definition);
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([1, 'failed', 0]);
    expect(ended.of('run.stopped').at(0)?.stop.code).toBe('base_red');
    expect(ended.of('attempt.started')).toEqual([]);
  });

  test('R009: newFailuresOnly succeeds on a red base, and its evidence names what is inherited (B11)', async () => {
    const repository = stack.repository({ 'old.test.mjs': 'throw new Error("old");\n' });
    const passes = ['echo ok > added', 'echo "throw 1" > new.test.mjs', 'rm new.test.mjs'];
    const definition = { task: 'Add a file.', checks: ['node --test'], baseline: 'newFailuresOnly' };
    const inherits = await stack.run(repository, { ...definition, agent: { name: 'scripted', passes } });
    expect([inherits.code, inherits.outcome.stop, inherits.outcome.passes]).toEqual([0, 'succeeded', 1]);
    expect(inherits.of('check.judged').at(-1)?.verdict).toMatchObject({
      evidence: { inherited: true, tests: { failed: 1 } },
      findings: [expect.stringMatching(/^inherited: .*old\.test\.mjs/)],
    });
    const breaks = await stack.run(repository, { ...definition, agent: { name: 'scripted', passes: passes.slice(1) } });
    expect([breaks.code, breaks.outcome.stop, breaks.outcome.passes]).toEqual([0, 'succeeded', 2]);
    expect(breaks.of('check.judged').at(0)?.verdict.evidence.summary).toMatch(/new since the base: .*new\.test\.mjs/);
  });

  test.each(['workspace', 'commit'])(
    'R011: a check (where: %s) that rewrites a tracked file does not change what the next one sees, nor what is delivered (B12)',
    async (where) => {
      const repository = stack.repository({ VERSION: '1\n' });
      const write = `node -e "require('fs').appendFileSync('VERSION','x')"`;
      const checks = [
        { name: 'writes', run: write, where },
        { name: 'clean', run: 'git diff --exit-code', where },
      ];
      const ended = await stack.run(repository, {
        task: 'Mend it.',
        agent,
        checks,
        deliver: 'commit',
        baseline: 'off',
      });
      expect([ended.code, ended.outcome.stop]).toEqual([0, 'succeeded']);
      const judged = ended.of('check.judged');
      expect(repository.git('rev-parse', `${ended.outcome.commit}^{tree}`)).toBe(judged.at(-1)?.verdict.evidence.tree);
      expect(repository.git('show', `${ended.outcome.commit}:VERSION`)).toBe('1');
      const findings = judged.find(({ check }) => check === 'writes')?.verdict.findings;
      expect(findings).toEqual([expect.stringContaining('check_mutated_tree')]);
    },
  );

  test('R041: a check has no terminal and CI=true, and one that asks a question meets the end of its input (A13)', async () => {
    const watcher = `const w=!process.env.CI&&process.stdin.isTTY;console.log('watch',w);if(w||process.env.CI==='false')setInterval(()=>{},1e3)`;
    const steps = {
      watch: { run: `node -e "${watcher}"`, pass: '^watch (false|undefined)$' },
      ask: { run: `bash -c 'read -p "Proceed? (y) " a; echo "got:$a"'`, pass: '^got:$', after: 'watch', time: '30s' },
    };
    const ended = await stack.run(stack.repository(), { steps });
    expect([ended.code, ended.of('attempt.finished').map(({ result }) => result.end.kind)]).toEqual([0, ['ok', 'ok']]);
  });
});

describe.concurrent('ends and clocks', () => {
  const agent = { name: 'scripted', passes: ['echo 1 > n', 'echo 2 > n', 'echo 3 > n'] };

  test('R021: a loop that reached its limit never lets a shell go on (C7, E1)', async () => {
    const repository = stack.repository();
    const file = repository.definition({ task: 'Mend it.', agent, checks: ['false'], limits: { passes: 2 } });
    const program = fileURLToPath(new URL('../../bin/setpoint.js', import.meta.url));
    const shell = `"${process.execPath}" "${program}" run "${file}" && echo DONE; echo "code $?"`;
    const options = { cwd: repository.path, env: { ...stack.env }, encoding: 'utf8', stdio: 'pipe' } as const;
    const said = execFileSync('sh', ['-c', shell], options);
    expect(said).not.toContain('DONE');
    expect(said).toContain('code 1');
    expect(said).toContain('"stop":"exhausted","passes":2');
  });

  test('R021: running out while passing succeeds only when the plan says so, and the event says that it ran out (C6, C7)', async () => {
    const work = (onExhausted: string) => ({
      steps: { work: { run: 'date +%N > n', loop: { to: 'work', on: 'pass', limit: 1, onExhausted } } },
    });
    const allowed = await stack.run(stack.repository(), work('succeed'));
    expect([allowed.code, allowed.outcome.stop, allowed.outcome.passes]).toEqual([0, 'succeeded', 2]);
    expect(allowed.of('step.succeeded').at(0)?.note).toContain('exhausted');
    const refused = await stack.run(stack.repository(), work('fail'));
    expect([refused.code, refused.outcome.stop]).toEqual([1, 'exhausted']);
  });

  test.each(['until', 'while'])(
    'R039: a condition of `%s` that cannot be judged pauses the run: neither green nor endless (C5)',
    async (mode) => {
      const loop = { [mode]: { run: 'no-such-program' }, limit: 'none', wait: { every: '1s' } };
      const steps = { work: { run: 'date +%N > n', loop } };
      const ended = await stack.run(stack.repository(), { steps, limits: { time: '1m' } }, '--no-wait');
      expect([ended.code, ended.outcome.status, ended.outcome.passes]).toEqual([3, 'paused', 1]);
      expect(ended.of('condition.judged').map(({ outcome }) => outcome.kind)).toEqual(['error', 'error', 'error']);
      expect(ended.of('run.paused').at(0)).toMatchObject({
        code: 'condition_error',
        reason: expect.stringContaining('could not be judged'),
      });
      expect((await stack.cli(['cancel', ended.outcome.runId])).code).toBe(0);
    },
  );

  test('R039: a limit of the run ends a repeat that has none of its own (C1)', async () => {
    const loop = { until: { run: 'false' }, limit: 'none', wait: { every: '1s' } };
    const steps = { work: { run: 'date +%N > n', loop } };
    const ended = await stack.run(stack.repository(), { steps, limits: { deadline: '3s' } });
    expect([ended.code, ended.outcome.stop]).toEqual([1, 'timed_out']);
    expect(ended.of('condition.judged').every(({ outcome }) => outcome.kind === 'unmet')).toBe(true);
  });

  test('R045: a time limit counts active work, not the wait between passes; a deadline counts everything (E10)', async () => {
    const waits = { to: 'work', limit: 1, wait: { every: '4s' } };
    const work = { steps: { work: { run: 'n=$(cat n || echo 0); echo $((n + 1)) > n; test $n = 1', loop: waits } } };
    const patient = await stack.run(stack.repository(), { ...work, limits: { time: '3s' } });
    expect([patient.code, patient.outcome.stop, patient.outcome.passes]).toEqual([0, 'succeeded', 2]);
    const hurried = await stack.run(stack.repository(), { ...work, limits: { time: '1h', deadline: '3s' } });
    expect([hurried.code, hurried.outcome.stop]).toEqual([1, 'timed_out']);
    const busy = await stack.run(stack.repository(), { steps: { work: { run: 'sleep 60' } }, limits: { time: '1s' } });
    expect([busy.code, busy.outcome.stop]).toEqual([1, 'timed_out']);
  });

  test('R045: a person may take longer than the time limit of the run, and running out of time is no rejection (D5, E10)', async () => {
    const asking = (person: string) =>
      `limits: { time: 3s }\nsteps: { agree: { person: { ask: Go on?, ${person} } } }\n`;
    const slow = await stack.run(stack.repository(), asking('time: { limit: 5s, then: skip }'));
    expect([slow.code, slow.outcome.stop]).toEqual([0, 'succeeded']);
    expect(slow.of('task.expired')).toHaveLength(1);
    const repository = stack.repository();
    const escalating = 'time: { limit: 1s, then: escalate }, escalate: ["team:leads"]';
    const file = repository.definition(asking(escalating));
    const started = await stack.cli(['run', file, '--detach'], { cwd: repository.path });
    const { runId } = RunOutcome.parse(JSON.parse(started.stdout));
    const watching = stack.start(['watch', runId, '--json']);
    await watching.says(/"task\.escalated"/);
    expect((await stack.cli(['approve', runId])).code).toBe(0);
    const { code, outcome } = jsonRun(await watching.ended);
    expect([code, outcome.stop]).toEqual([0, 'succeeded']);
  });

  test('R035: after a reconnect every event comes exactly once, what is no event has no id, the stop is last (E9)', async () => {
    const loop = { to: 'work', limit: 3 };
    const { outcome } = await stack.run(stack.repository(), { steps: { work: { run: 'date +%N > n; false', loop } } });
    const path = `/v1/runs/${outcome.runId}/events`;
    const first = await frames(path, 0, 6);
    const cursor = Number(first.filter(({ id }) => id !== undefined).at(-1)?.id);
    const rest = await frames(path, cursor);
    const ids = [...first, ...rest].flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(ids.length).toBeGreaterThan(15);
    for (const { id, data } of [...first, ...rest]) if (id === undefined) expect(data).not.toContain('"type"');
    expect(rest.filter(({ id }) => id !== undefined).at(-1)?.data).toContain('run.stopped');
  });
});

interface Frame {
  id: string | undefined;
  data: string;
}

/** The frames of a stream after `cursor`, to its end or until `most` events came. */
async function frames(path: string, cursor: number, most = Number.POSITIVE_INFINITY): Promise<Frame[]> {
  const leave = new AbortController();
  const headers = { accept: 'text/event-stream', 'last-event-id': String(cursor) };
  const response = await stack.call(path, { headers, signal: leave.signal });
  const found: Frame[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    found.push(...whole.map(frameOf));
    if (found.filter(({ id }) => id !== undefined).length >= most) break;
  }
  leave.abort();
  let left = most;
  return found.filter(({ id }) => id === undefined || left-- > 0);
}

function frameOf(text: string): Frame {
  const of = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(text)?.[1];
  return { id: of('id'), data: of('data') ?? '' };
}

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { RunListed, RunOutcome } from '#core/contract/http.ts';
import { jsonRun } from './cli.ts';
import type { Repository } from './repository.ts';
import { sharedStack, testKey, testSecret, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

/** A repository whose own `fake-agent` stands for the CLI of claude. */
function withFakeClaude(script: string): Repository {
  return stack.repository({ 'fake-agent': `#!/bin/sh\ncat > /dev/null\n${script}\n` });
}

const result = (fields: object) =>
  `echo '${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, num_turns: 1, ...fields })}'`;
const asked = { task: 'Mend it.', agent: 'claude', checks: ['true'], baseline: 'off' };

/** Follows a run until it waits (a retry with a time before which it does not start), then cancels it. */
async function untilItWaits(repository: Repository, definition: object) {
  const following = stack.start(['run', repository.definition(definition), '--json'], { cwd: repository.path });
  const [, runId = ''] = await following.says(/"runId":"(run_\w+)"/);
  await following.says(/"type":"attempt\.retried"/);
  const listed = RunListed.parse(JSON.parse((await stack.cli(['runs', '--json', '--search', runId])).stdout));
  await stack.cli(['cancel', runId]);
  return { ended: jsonRun(await following.ended), listed };
}

describe.concurrent('processes', () => {
  test.each([
    ['a child in the background', '(sleep 600) &'],
    ['a child in a session of its own', 'setsid sleep 600 &'],
  ])('R013: %s that holds the output does not keep the step, and is killed (A10)', async (_, child) => {
    const run = `echo ready; ${child}`;
    const agent = { name: 'scripted', passes: [run] };
    const steps = { command: { run, pass: '^ready$' }, agent: { agent, prompt: 'Go.', after: 'command' } };
    const ended = await stack.run(stack.repository(), { steps });
    expect(ended.code).toBe(0);
    const results = ended.of('attempt.finished').map(({ result: done }) => done);
    for (const done of results) {
      expect(done.findings).toEqual([expect.stringMatching(/^leftover: .*sleep/)]);
      expect(done.durationMs).toBeLessThan(10_000);
    }
    expect(results).toHaveLength(2);
  });

  test('R015: 400 kB of failed output in a prompt reach the agent by its stdin, multi-byte text too (A11)', async () => {
    const steps = {
      work: {
        agent: { name: 'custom', command: ['sh', '-c', 'wc -c; date +%N > n'] },
        prompt: 'Mend: {{steps.test.output}}',
      },
      test: {
        run: `test -e n && test "$(cat n | wc -c)" -gt 0 && head -c 400000 /dev/zero | tr '\\0' 'x'; printf 'é%.0s' $(seq 66000); false`,
        after: 'work',
        loop: { to: 'work', limit: 1 },
      },
    };
    const ended = await stack.run(stack.repository(), { steps });
    expect([ended.code, ended.outcome.stop]).toEqual([1, 'exhausted']);
    const finished = ended.of('attempt.finished').filter(({ step }) => step === 'work');
    expect(finished.map(({ result: done }) => done.end.kind)).toEqual(['ok', 'ok']);
  });

  test('R015: a prompt that must travel as an argument and does not fit is refused before any work (A11)', async () => {
    const agent = { name: 'custom', command: ['echo'], prompt: 'argument' };
    const ended = await stack.run(stack.repository(), { steps: { work: { agent, prompt: 'é'.repeat(65_500) } } });
    expect([ended.code, ended.outcome.stop]).toEqual([5, 'failed_to_start']);
    expect(ended.of('run.stopped').at(0)?.stop.reason).toMatch(/prompt/);
  });
});

describe.concurrent('what an agent says of itself', () => {
  test('R019: exit 0 with an error inside is no success: the run waits for the provider and spends no pass (A12, E6)', async () => {
    const told = { is_error: true, result: 'API Error: Rate limit reached', num_turns: 0 };
    const { ended, listed } = await untilItWaits(withFakeClaude(result(told)), asked);
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([4, 'cancelled', 1]);
    expect(ended.of('check.judged')).toEqual([]);
    expect(listed.summary).toMatchObject({ status: 'waiting', why: expect.stringContaining('usage window') });
  });

  test('R049: a window whose end is told in a zone is waited for to that instant, no pass spent (E6)', async () => {
    const { ended } = await untilItWaits(
      withFakeClaude(`echo "You've hit your limit · resets 11:30pm (Europe/Berlin)"; exit 1`),
      asked,
    );
    const until = ended.of('attempt.retried').at(0)?.notBefore ?? 0;
    const options = { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit', hour12: false } as const;
    expect(new Intl.DateTimeFormat('en-GB', options).format(until)).toBe('23:30');
    expect(until - Date.now()).toBeLessThan(24 * 3_600_000);
    expect(ended.outcome.passes).toBe(1);
  });

  test('R049: a window whose end is not told is shown as unknown and probed with backoff (E6)', async () => {
    const { ended } = await untilItWaits(withFakeClaude('echo "limit reached"; exit 1'), asked);
    const retried = ended.of('attempt.retried').at(0);
    expect([retried?.kind, retried?.reason]).toEqual(['quota', expect.stringContaining('reset unknown')]);
  });

  test('R049: an answer that speaks of rate limits is an answer (E6)', async () => {
    const told = { result: 'I fixed the rate limit handler; try again in 5 minutes works', total_cost_usd: 0.1 };
    const ended = await stack.run(withFakeClaude(`echo x > x; ${result(told)}`), asked);
    expect([ended.code, ended.outcome.stop, ended.of('attempt.retried')]).toEqual([0, 'succeeded', []]);
  });

  test('R047: a spend limit that cannot bind, because the agent tells no cost, is an issue (E7)', async () => {
    const agent = { name: 'custom', command: ['cat'] };
    const file = stack.repository().definition({ ...asked, agent, limits: { spend: '1 USD' } });
    const ended = await stack.cli(['run', file]);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('spend limit cannot hold')]);
  });

  test('R047: spend of 0.60 and 0.60 under a limit of 1 refuses the third pass and pauses with the remedy (E7)', async () => {
    const repository = withFakeClaude(`date +%N > n; ${result({ result: 'done', total_cost_usd: 0.6 })}`);
    const definition = { ...asked, checks: ['cat n; false'], limits: { spend: '1 USD' } };
    const ended = await stack.run(repository, definition, '--no-wait');
    expect([ended.code, ended.outcome.status, ended.outcome.spend]).toEqual([3, 'paused', 1.2]);
    expect(ended.of('attempt.started')).toHaveLength(2);
    expect(ended.of('run.paused').at(0)).toMatchObject({
      code: 'over_budget',
      remedy: `setpoint raise ${ended.outcome.runId} --spend "2.2 USD"`,
    });
    await stack.cli(['cancel', ended.outcome.runId]);
  });

  test.each(['-3', '"0.40"', 'NaN'])(
    'R047: a cost of %s never lowers the spend nor ends the host (E7)',
    async (cost) => {
      const told = result({ result: 'done', total_cost_usd: 0 }).replace(
        '"total_cost_usd":0',
        `"total_cost_usd":${cost}`,
      );
      const ended = await stack.run(withFakeClaude(`echo x > x; ${told}`), {
        ...asked,
        limits: { spend: '1 USD', passes: 1 },
      });
      expect(ended.outcome.spend).toBeGreaterThanOrEqual(0);
      expect(ended.outcome.status).toBe('ended');
    },
  );
});

describe.concurrent('what the host lays out for an agent', () => {
  test('C9, F6: the whole output of a failed check can be read in the sandbox and not be changed; links in the HOME stay unfollowed', async () => {
    const passes = [
      `mkdir aside; ln -s "$PWD/aside" ~/feedback; ln -s "$PWD/aside" ~/counted; ln -s "$PWD/aside/x" ~/feedback.md`,
      `path=$(sed -n 's/^The whole output is in \\(.*\\)\\.$/\\1/p'); cp "$path" whole; ls aside > seen; if echo x >> "$path"; then exit 1; fi`,
    ];
    const checks = ['if test -e whole; then tail -n 2 whole && test ! -s seen; else seq 20000; false; fi'];
    const agent = { name: 'scripted', passes };
    const ended = await stack.run(stack.repository(), { task: 'Mend it.', agent, checks, baseline: 'off' });
    expect(ended.outcome.stop).toBe('succeeded');
    const logs = ended.of('check.judged').map(({ verdict }) => verdict.evidence.log?.excerpt);
    expect(logs.at(-1)).toBe('19999\n20000\n');
  });
});

describe.concurrent('secrets', () => {
  test('R057: a secret of several lines is nowhere in what is stored or told: lines apart, base64, JSON, a URL (H4)', async () => {
    const [first, second] = testSecret.value.split('\n');
    const script = [
      `printf '%s\\n' "$${testSecret.name}" | { IFS= read -r a; printf '%s' "$a"; sleep 0.2; echo; cat; }`,
      `printf %s "$${testSecret.name}" | base64`,
      `node -e 'console.log(JSON.stringify({key: process.env.${testSecret.name}}), encodeURIComponent(process.env.${testSecret.name}))'`,
      `git clone "https://u:$(printf %s "$${testSecret.name}" | tail -n 1)@127.0.0.1:1/x" 2>&1`,
      'false',
    ].join('; ');
    const steps = { leak: { run: script, secrets: [testSecret.name], loop: { to: 'leak', limit: 1 } } };
    const ended = await stack.run(stack.repository(), { steps });
    expect(ended.outcome.stop).toMatch(/exhausted|no_progress/);
    const { runId } = RunOutcome.parse(ended.outcome);
    const logs = await stack.cli(['logs', runId]);
    expect(logs.stdout).toContain('[redacted]');
    const page = await (await stack.call(`/v1/runs/${runId}/events`)).text();
    const base64 = Buffer.from(testSecret.value).toString('base64');
    const forms = [first, second, base64, encodeURIComponent(second ?? '')].filter((form) => form !== undefined);
    const stored = [ended.stdout, ended.stderr, logs.stdout, page, ...storedTexts()];
    for (const form of forms) expect(stored.filter((text) => text.includes(form))).toEqual([]);
  });

  test('H4: a key that an agent tells in its answer, its error or its work is nowhere in what is stored or told', async () => {
    const says = (fields: string) => `echo '{"type":"result","num_turns":1,'${fields}'}'`;
    const key = `"$${testKey.name}"`;
    const script = [
      `printenv ${testKey.name} > key`,
      `setsid tail -f /dev/null ${key} &`,
      'if test -e again',
      `then ${says(`'"subtype":"error_during_execution","is_error":true,"result":"broken by '${key}'"'`)}; exit 1`,
      `else touch again; ${says(`'"subtype":"success","is_error":false,"result":"It is '${key}'."'`)}; fi`,
    ].join('\n');
    const repository = withFakeClaude(script);
    const ended = await stack.run(repository, { ...asked, checks: ['cat key; false'], limits: { passes: 2 } });
    const { runId } = RunOutcome.parse(ended.outcome);
    const page = await (await stack.call(`/v1/runs/${runId}/events`)).text();
    expect(page).toContain('[redacted]');
    expect(page).toMatch(/leftover/);
    const stored = [ended.stdout, ended.stderr, page, ...storedTexts()];
    expect(stored.filter((text) => text.includes(testKey.value))).toEqual([]);
  });
});

/** Every text under the folders of outputs, artifacts and logs. */
function storedTexts(): string[] {
  return ['output', 'artifacts', 'logs'].flatMap((folder) => textsIn(join(stack.home, folder)));
}

function textsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'));
}

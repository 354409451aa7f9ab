import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { RunListed, RunOutcome } from '#core/contract/http.ts';
import { until } from '../faults/until.ts';
import { fakeClaude } from './fake-claude.ts';
import type { Repository } from './repository.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

const fixture = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../dialects/exit-checks/fixtures/${name}`, import.meta.url)), 'utf8');
const summaryOf = async (runId: string) =>
  RunListed.parse(await (await stack.call(`/v1/runs/${runId}`)).json()).summary;
const stands = (runId: string, status: string) =>
  until(`${runId} is ${status}`, async () => {
    const summary = await summaryOf(runId);
    return summary.status === status ? summary : undefined;
  });
/** HOME of the agent of the loop. */
const homeOf = (runId: string): string => join(stack.home, 'agent-homes', runId, 'agents', 'work');
/** What it was asked, pass by pass, and with which arguments. */
const asked = (runId: string): string[] => {
  const home = homeOf(runId);
  const names = readdirSync(home).filter((name) => name.startsWith('asked-'));
  return names.toSorted().map((name) => readFileSync(join(home, name), 'utf8'));
};

async function started(repository: Repository, definition: object | string): Promise<string> {
  const file = repository.definition(definition);
  const { stdout, stderr } = await stack.cli(['run', file, '--detach'], { cwd: repository.path });
  if (stdout === '') throw new TypeError(stderr);
  return RunOutcome.parse(JSON.parse(stdout)).runId;
}

describe.concurrent('a loop with exit checks, from its file', () => {
  test('E-01, E-10, E-11: the shortest file runs as written until npm test passes, each iteration in a lane of its own', async () => {
    const repository = stack.repository({
      'package.json': '{"name":"x","scripts":{"test":"test -e mended"}}',
      'fake-agent': fakeClaude({ work: 'pwd >> ~/lanes; test "$pass" = 1 || touch mended' }),
    });
    const ended = await stack.run(repository, fixture('until-green.yaml'));
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([0, 'succeeded', 2]);
    expect(ended.of('check.judged').map(({ check, verdict }) => `${check} ${verdict.kind}`)).toEqual([
      'npm test fail',
      'npm test pass',
    ]);
    expect(repository.git('ls-tree', '--name-only', ended.outcome.branch ?? '')).toContain('mended');
    // What lands is what passed.
    expect(repository.git('rev-parse', `${ended.outcome.commit}^{tree}`)).toBe(
      ended.of('check.judged').at(-1)?.verdict.evidence.tree,
    );
    const lanes = readFileSync(join(homeOf(ended.outcome.runId), 'lanes'), 'utf8')
      .trim()
      .split('\n');
    expect([lanes.length, new Set(lanes).size]).toEqual([2, 2]);
    expect(existsSync(lanes[0] ?? '')).toBe(false);
  });

  test('E-04, E-08, E-09, E-16: twice in a row with a cap that is too low: it pauses, names the remedy, and a raised cap lets it end', async () => {
    const repository = stack.repository({
      'fake-agent': fakeClaude({
        work: 'test "$pass" = 1 || touch done',
        judge: { passed: true, summary: 'It is met.' },
      }),
    });
    const runId = await started(repository, fixture('raised-cap.yaml'));
    const paused = await stands(runId, 'paused');
    expect(paused.why).toContain('goal: passed 1 of 2 times in a row');
    expect(paused.remedy).toContain(`setpoint raise ${runId} --passes`);
    const refused = await stack.cli(['resume', runId]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/run\/cause-holds.*\n.*setpoint raise/)]);
    expect((await stack.cli(['raise', runId, '--passes', '3'])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--quiet'])).code).toBe(0);
    expect(await summaryOf(runId)).toMatchObject({ status: 'ended', stop: { kind: 'succeeded' }, passes: 3 });
    const [first = '', second = '', third = ''] = asked(runId);
    expect(first).toContain('Make it done. {{not a template}}');
    expect(first).toContain('This is pass 1 (at most 2).');
    expect(first).toMatch(/- .*there.*test -e done/);
    expect(second).toContain('### check "there" of step "work", in pass 1: fail');
    expect(third).toContain('This is pass 3 (at most 3).');
    expect(third).toContain('It passed 1 of 2 times in a row');
  });

  test('E-06, E-08, F16: the worklist of the agent is carried, in its session, until nothing of it is open', async () => {
    const list = (...done: boolean[]) =>
      JSON.stringify({
        loop: { worklist: done.map((each, n) => ({ title: `page ${n}`, passes: each, notes: 'Say "$&".' })) },
      });
    const work = `echo "$pass" >> pages; case "$pass" in 1) echo '${list(false, true)}' > .yolo-result.json;; *) echo '${list(true, true)}' > .yolo-result.json;; esac`;
    const repository = stack.repository({ 'fake-agent': fakeClaude({ work }) });
    const ended = await stack.run(repository, {
      prompt: 'Go page by page.',
      agent: 'claude',
      checks: [
        { type: 'command', name: 'pages', command: 'test -s pages' },
        { type: 'worklist', name: 'every page' },
      ],
      memory: 'carry',
    });
    expect([ended.code, ended.outcome.passes]).toEqual([0, 2]);
    const [first = '', second = ''] = asked(ended.outcome.runId);
    expect(first).toContain('write your report to `.yolo-result.json`');
    expect(second).toMatch(/You left this open in the pass before:\s+```\s+- page 0\s+notes: Say "\$&"\.\s+```/);
    expect([first, second].map((text) => text.includes('--resume=the-session'))).toEqual([false, true]);
    expect(repository.git('ls-tree', '-r', '--name-only', ended.outcome.branch ?? '')).not.toContain('.yolo-result');
  });

  test('E-02, E-07: a report that is not there is no evidence, which is a fail; a check that cannot run is an error, which never passes', async () => {
    const report = `mkdir -p docs; echo done > docs/report.md; echo '{"loop":{"artifacts":["docs/report.md"]}}' > .yolo-result.json`;
    const repository = stack.repository({
      'fake-agent': fakeClaude({ work: `echo "$pass" > pass; test "$pass" = 1 || { ${report}; }` }),
    });
    const loop = { prompt: 'Report it.', agent: 'claude' };
    const checks = [
      { type: 'command', name: 'written', command: 'test -s pass' },
      { type: 'artifact', name: 'report', path: 'docs/report.md' },
    ];
    const ended = await stack.run(repository, { ...loop, checks });
    expect([ended.code, ended.of('check.judged').map(({ check, verdict }) => `${check} ${verdict.kind}`)]).toEqual([
      0,
      ['written pass', 'report missing', 'written pass', 'report pass'],
    ]);
    const broken = [
      { type: 'test', name: 'cannot run', command: './absent.sh' },
      { type: 'command', name: 'fails', command: 'false' },
    ];
    const runId = await started(repository, { ...loop, checks: broken, exitMode: 'any' });
    const paused = await stands(runId, 'paused');
    expect([paused.why, paused.remedy]).toEqual([
      expect.stringMatching(/could not run: cannot run: /),
      expect.stringContaining(`setpoint resume ${runId}`),
    ]);
    expect(paused.passes).toBe(1);
  });

  test('E-05: a check that takes longer than the file gives it fails, and says so', async () => {
    const repository = stack.repository({ 'fake-agent': fakeClaude({ work: 'touch done' }) });
    const checks = [{ type: 'command', name: 'slow', command: 'sleep 600', timeoutMinutes: 0.1 }];
    const loop = { prompt: 'Go.', agent: 'claude', checks, maxIterations: 1, whenCapHit: 'fail' };
    const ended = await stack.run(repository, loop);
    expect([ended.code, ended.outcome.stop]).toEqual([1, 'exhausted']);
    const [judged] = ended.of('check.judged');
    expect([judged?.verdict.kind, judged?.verdict.evidence.summary]).toEqual([
      'fail',
      expect.stringMatching(/\b6(\.0)? s/),
    ]);
  });

  test('R047, E-09, E-16: a budget that is spent pauses the loop before the next iteration, and a raised one lets it go on', async () => {
    const repository = stack.repository({
      'fake-agent': fakeClaude({ work: 'touch "pass-$pass"', usd: 0.6 }),
    });
    const checks = [{ type: 'test', command: 'test -e pass-3' }];
    const runId = await started(repository, { prompt: 'Go.', agent: 'claude', checks, maxSpendUsd: 1 });
    const paused = await stands(runId, 'paused');
    expect([paused.passes, paused.remedy]).toEqual([2, expect.stringContaining(`setpoint raise ${runId} --spend`)]);
    expect((await stack.cli(['resume', runId])).code).toBe(2);
    expect((await stack.cli(['raise', runId, '--spend', '3 USD'])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--quiet'])).code).toBe(0);
  });

  test('R021, E-11, E-18, E-25: a cap that fails the loop is no success, and failed and cancelled loops are final', async () => {
    const repository = stack.repository({ 'fake-agent': fakeClaude({ work: 'touch "pass-$pass"' }) });
    const loop = { prompt: 'Go.', agent: 'claude', checks: [{ type: 'test', command: 'false' }], maxIterations: 2 };
    const failed = await stack.run(repository, { ...loop, whenCapHit: 'fail' });
    expect([failed.code, failed.outcome.stop, failed.outcome.passes]).toEqual([1, 'exhausted', 2]);
    const cancelled = await started(repository, loop);
    await stands(cancelled, 'paused');
    expect(repository.git('branch', '--list', 'setpoint/*')).toBe('');
    expect((await stack.cli(['cancel', cancelled])).code).toBe(0);
    expect((await stack.cli(['watch', cancelled, '--quiet'])).code).toBe(4);
    for (const runId of [failed.outcome.runId, cancelled]) {
      const again = await stack.cli(['raise', runId, '--passes', '9']);
      expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('run/ended')]);
    }
    expect(repository.git('branch', '--list', 'setpoint/*')).toBe('');
  });

  test('E-17: an edit in the same dialect counts from the next pass; memory and branch cannot change', async () => {
    const repository = stack.repository({ 'fake-agent': fakeClaude({ work: 'touch "pass-$pass"' }) });
    const loop = {
      prompt: 'Go.',
      agent: 'claude',
      checks: [{ type: 'test', command: 'test -e never' }],
      maxIterations: 1,
    };
    const runId = await started(repository, loop);
    await stands(runId, 'paused');
    const refused = await stack.cli(['edit', runId, repository.definition({ ...loop, memory: 'carry' })]);
    expect(refused.code).toBe(2);
    const other = await stack.cli(['edit', runId, repository.definition({ ...loop, baseBranch: 'other' })]);
    expect(other.code).toBe(2);
    const mended = { ...loop, checks: [{ type: 'test', command: 'test -e pass-2' }], maxIterations: 2 };
    expect((await stack.cli(['edit', runId, repository.definition(mended)])).code).toBe(0);
    expect((await stack.cli(['resume', runId])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--quiet'])).code).toBe(0);
  });
});

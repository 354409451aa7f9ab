import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

describe.concurrent('processes that do not behave', () => {
  const agent = { name: 'scripted', passes: ['date +%N > n'] };

  test('a check that never ends fails at its own limit, says so to the next pass, and the run goes on (B8, E-05)', async () => {
    const checks = [{ name: 'endless', run: 'echo begun; sleep 600', time: '1s' }];
    const definition = { task: 'Mend it.', agent, checks, baseline: 'off', limits: { passes: 2 } };
    const ended = await stack.run(stack.repository(), definition);
    expect([ended.code, ended.outcome.stop, ended.outcome.passes]).toEqual([1, 'exhausted', 2]);
    const verdict = ended.of('check.judged').at(0)?.verdict;
    expect([verdict?.kind, verdict?.evidence.summary]).toEqual(['fail', expect.stringContaining('time limit of 1 s')]);
    expect(verdict?.evidence.feedback?.excerpt).toContain('begun');
  });

  test('an agent that ignores SIGTERM is killed after its grace time; what it did is kept and judged (H2, A4)', async () => {
    const stubborn = { name: 'scripted', passes: [`trap '' TERM; echo x > x; while :; do sleep 1; done`], time: '1s' };
    const definition = {
      task: 'Mend it.',
      agent: stubborn,
      checks: ['test -e x'],
      baseline: 'off',
      limits: { passes: 1 },
    };
    const ended = await stack.run(stack.repository(), definition);
    expect([ended.code, ended.outcome.stop]).toEqual([1, 'exhausted']);
    expect(ended.of('attempt.finished').at(0)?.result.end).toEqual({ kind: 'timed_out', afterSeconds: 1 });
    expect(ended.of('check.judged').at(0)?.verdict.kind).toBe('pass');
  });

  test('output that is no UTF-8 is matched and shown as text, and kept as the bytes that it was (A9)', async () => {
    const run = String.raw`printf '\377\376all \303\251 ok\300\n\000'`;
    const ended = await stack.run(stack.repository(), { steps: { work: { run, pass: 'all é ok' } } });
    expect([ended.code, ended.of('attempt.finished').at(0)?.result.match?.kind]).toEqual([0, 'pass']);
    const raw = await stack.call(`/v1/runs/${ended.outcome.runId}/output?step=work`);
    const bytes = Buffer.from(await raw.arrayBuffer()).toString('hex');
    expect(bytes).toBe(Buffer.from([0xff, 0xfe, ...Buffer.from('all é ok'), 0xc0, 0x0a, 0]).toString('hex'));
    const page = await (await stack.call(`/v1/runs/${ended.outcome.runId}/events`)).text();
    expect(page).toContain('��all é ok�');
  });
});

test('an output of 300 MB in one line leaves the memory of the host bounded, is readable by range, and the run goes on (A5)', async () => {
  const bytes = 300 * 1024 * 1024;
  const before = peakMemoryMb(stack.pidOf('host'));
  const print = `head -c ${bytes} /dev/zero | tr '\\0' x; echo; echo the end`;
  const agent = { name: 'scripted', passes: [`echo 1 > n; ${print}`, `echo 2 > n`] };
  const checks = [{ name: 'two', run: 'grep -q 2 n' }];
  const ended = await stack.run(stack.repository(), { task: 'Mend it.', agent, checks, baseline: 'off' });
  expect([ended.code, ended.outcome.passes]).toEqual([0, 2]);
  expect(peakMemoryMb(stack.pidOf('host')) - before).toBeLessThan(150);
  const path = `/v1/runs/${ended.outcome.runId}/output?step=work&pass=1`;
  const part = await stack.call(path, { headers: { range: 'bytes=-9' } });
  expect([part.status, await part.text()]).toEqual([206, '\nthe end\n']);
  expect(part.headers.get('content-range')).toBe(`bytes ${bytes}-${bytes + 8}/${bytes + 9}`);
});

/** The most memory that a process ever held, in MB. */
function peakMemoryMb(pid: number): number {
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(found) / 1024;
}

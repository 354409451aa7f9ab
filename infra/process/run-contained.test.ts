import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContainedResult, ContainedSpec } from '#infra/process/contained-spec.ts';
import { reasonItCouldNotRun } from '#infra/process/contained-spec.ts';
import { buildEnvironment } from '#infra/process/environment.ts';
import { markedPids } from '#infra/process/process-table.ts';
import { runContained } from '#infra/process/run-contained.ts';
import { chooseSandbox } from '#infra/sandbox/choose-sandbox.ts';
import { noSandbox, type Sandbox } from '#infra/sandbox/sandbox.ts';

let folder = '';
let bwrap: Sandbox = noSandbox;
let count = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-run-')));
  bwrap = await chooseSandbox('bwrap', { path: process.env['PATH'] ?? '', warn: () => undefined });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Ran = ContainedResult & { stdout: string; stderr: string; id: string; chunks: number };

interface Extra extends Partial<Omit<ContainedSpec, 'onOutput'>> {
  signal?: AbortSignal;
  onOutput?: (text: string) => void;
}

async function run(sandbox: Sandbox, script: string, extra: Extra = {}): Promise<Ran> {
  const { signal, onOutput, ...more } = extra;
  const out = { stdout: '', stderr: '' };
  let chunks = 0;
  count += 1;
  const id = `test-${String(process.pid)}-${String(count)}`;
  const result = await runContained(
    {
      argv: ['bash', '-c', script],
      cwd: folder,
      env: buildEnvironment({ host: process.env, home: folder }),
      workspace: { path: folder, access: 'write' },
      writable: [],
      timeoutSeconds: 30,
      containmentId: id,
      onOutput: ({ stream, bytes }) => {
        const text = Buffer.from(bytes).toString('latin1');
        out[stream] += text;
        chunks += 1;
        onOutput?.(text);
      },
      ...more,
    },
    { sandbox, signal: signal ?? new AbortController().signal },
  );
  return { ...result, ...out, id, chunks };
}

describe.each(['none', 'bwrap'] as const)('a contained command (sandbox %s)', (kind) => {
  const sandbox = () => (kind === 'none' ? noSandbox : bwrap);

  test('A10 ends at once when its pipes close with its exit, and nothing is left', async () => {
    const result = await run(sandbox(), 'echo out; echo err >&2; exit 3');
    expect(result).toMatchObject({ exitCode: 3, ended: 'exit', stdout: 'out\n', stderr: 'err\n', leftovers: [] });
    const durations = [result.durationMs];
    for (let again = 0; again < 4; again += 1) durations.push((await run(sandbox(), 'true')).durationMs);
    // Below the 300 ms of quiet that A10 asks for when pipes stay open; the fastest of five, since machines are busy.
    expect(Math.min(...durations)).toBeLessThan(250);
  });

  test.each(['(sleep 600) &', 'setsid sleep 600 &', 'setsid -f sleep 600', 'sleep 600 >/dev/null 2>&1 &'])(
    'A10 a background child does not hold the end up: it is killed and listed (%s)',
    async (background) => {
      const result = await run(sandbox(), `echo ready; ${background}`);
      expect(result).toMatchObject({ exitCode: 0, ended: 'exit', stdout: 'ready\n' });
      expect(result.durationMs).toBeLessThan(1_500);
      expect(result.leftovers.map((left) => left.command).join('\n')).toContain('sleep 600');
      expect(markedPids(result.id)).toEqual([]);
    },
  );

  test('A10 output of a background child counts while it is not quiet, and what comes later does not', async () => {
    const result = await run(sandbox(), '(sleep 0.1; echo soon; sleep 2; echo late) & echo first');
    expect(result.stdout).toBe('first\nsoon\n');
    expect(result.leftovers.length).toBeGreaterThan(0);
  });

  test('H2 a child that ignores SIGTERM is killed after the grace, with all its own children', async () => {
    const result = await run(sandbox(), 'trap "" TERM; sleep 600 & echo up; while :; do sleep 0.05; done', {
      timeoutSeconds: 0.5,
      graceSeconds: 0.3,
    });
    expect(result).toMatchObject({ ended: 'timeout', exitCode: 137, signal: 'SIGKILL', oomKilled: false });
    expect(markedPids(result.id)).toEqual([]);
  });

  test('H2 SIGTERM comes first, so that a command can say its last words', async () => {
    const result = await run(sandbox(), 'trap "echo bye; exit 5" TERM; echo up; while :; do sleep 0.02; done', {
      timeoutSeconds: 0.5,
    });
    expect(result).toMatchObject({ ended: 'timeout', exitCode: 5, stdout: 'up\nbye\n' });
  });

  test('H2 silence beyond the quiet limit ends the command; output resets it', async () => {
    const result = await run(sandbox(), 'for i in 1 2 3; do echo $i; sleep 0.3; done; sleep 600', {
      quietSeconds: 0.8,
    });
    expect(result).toMatchObject({ ended: 'quiet', stdout: '1\n2\n3\n' });
  });

  test('E3 cancelling ends the command and all below it', async () => {
    const controller = new AbortController();
    const result = await run(sandbox(), 'echo up; sleep 600', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(result).toMatchObject({ ended: 'cancelled', exitCode: 143, signal: 'SIGTERM' });
    expect(markedPids(result.id)).toEqual([]);
  });

  test('endless output is cut at its limit and the command is ended', async () => {
    const result = await run(sandbox(), 'yes', { outputLimitBytes: 100_000 });
    expect(result.ended).toBe('output_limit');
    expect(result.stdout.length).toBe(100_000);
  });

  test('A9 eight megabytes of invalid UTF-8 arrive whole', async () => {
    const result = await run(sandbox(), String.raw`head -c 8388608 /dev/zero | tr '\0' '\377'`);
    expect(result.exitCode).toBe(0);
    expect(result.stdout.length).toBe(8_388_608);
    expect(result.stdout).toMatch(/^\u00ff+$/);
  });

  test('A13 a watcher sees that nobody is there and ends (R041)', async () => {
    const script = `const w=!process.env.CI&&process.stdin.isTTY;console.log('watch',w); if(w||process.env.CI==='false')setInterval(()=>{},1e3)`;
    const result = await run(sandbox(), '', { argv: ['node', '-e', script] });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'watch false\n' });
  });

  test('A13 a question reads the end of the file at once (R041)', async () => {
    const result = await run(sandbox(), 'read -p "Proceed? (y) " a; echo "got:$a"');
    expect(result).toMatchObject({ exitCode: 0, stdout: 'got:\n' });
  });

  test('A13 a command that opened a terminal of its own and waits there says so', async () => {
    const script =
      'import pty; pty.spawn(["/bin/sh", "-c", "echo Password:; read answer"], lambda fd: __import__("os").read(fd, 100), lambda fd: __import__("time").sleep(600) or b"")';
    const result = await run(sandbox(), '', { argv: ['/usr/bin/python3', '-c', script], timeoutSeconds: 1 });
    expect(result).toMatchObject({ ended: 'timeout', waitedForInput: true });
  });

  test('A13 a pipeline that waits for its own sleeper is not said to wait for input', async () => {
    const result = await run(sandbox(), 'sleep 600 | cat', { timeoutSeconds: 0.5 });
    expect(result).toMatchObject({ ended: 'timeout', waitedForInput: false });
  });

  test('A11 stdin carries a long text and then ends', async () => {
    const result = await run(sandbox(), 'wc -c', { stdin: 'x'.repeat(300_000) });
    expect(result.stdout.trim()).toBe('300000');
  });

  test('a command that does not read its stdin is no failure', async () => {
    const result = await run(sandbox(), 'exec <&-; echo done', { stdin: 'x'.repeat(1_000_000) });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  });

  test('B10 a missing program, one that cannot be executed, and exits 126 and 127 are told apart from failing work', async () => {
    writeFileSync(join(folder, 'plain.txt'), 'no program');
    writeFileSync(join(folder, 'orphan'), '#!/no/such/interpreter\n', { mode: 0o755 });
    const missing = await run(sandbox(), '', { argv: ['no-such-program-here'] });
    expect(missing).toMatchObject({ ended: 'spawn_failed', spawnFailure: 'not_found', exitCode: null });
    const plain = await run(sandbox(), '', { argv: ['./plain.txt'] });
    expect(plain).toMatchObject({ ended: 'spawn_failed', spawnFailure: 'not_executable' });
    const reasons = [];
    for (const script of ['./orphan', 'no-such-program-here', './plain.txt', 'exit 1', 'true']) {
      reasons.push(reasonItCouldNotRun(await run(sandbox(), script)));
    }
    expect(reasons.slice(1)).toEqual(['not_found', 'not_executable', undefined, undefined]);
    expect(reasons[0]).toBeDefined();
    expect(reasonItCouldNotRun(await run(sandbox(), '', { argv: ['./orphan'] }))).toBe('not_found');
  });

  test('B10 a SIGKILL from someone else is not blamed on memory when the kernel killed nothing', async () => {
    const result = await run(sandbox(), 'kill -9 $$');
    expect(result).toMatchObject({ ended: 'exit', exitCode: 137, signal: 'SIGKILL', oomKilled: false, stderr: '' });
  });

  test('the terminal event gives the command its grace to exit, and ends it after that', async () => {
    let seen = false;
    const hanging = await run(sandbox(), 'echo result; sleep 600', {
      graceSeconds: 0.3,
      onOutput: () => (seen = true),
      endAt: () => seen,
    });
    expect(hanging.ended).toBe('terminal_event');
    const leaving = await run(sandbox(), 'echo result; exit 0', { graceSeconds: 5, endAt: () => true });
    expect(leaving).toMatchObject({ ended: 'exit', exitCode: 0 });
  });

  test('what onOutput throws is thrown after the containment has ended', async () => {
    const id = `throws-${kind}`;
    const failing = run(sandbox(), 'echo one; sleep 600', {
      containmentId: id,
      onOutput: () => {
        throw new RangeError('the sink is full');
      },
    });
    await expect(failing).rejects.toThrow('the sink is full');
    expect(markedPids(id)).toEqual([]);
  });

  test('A11 a word of more than 64 KiB in argv or environment is refused before anything starts', async () => {
    await expect(run(sandbox(), '', { argv: ['echo', 'x'.repeat(70_000)] })).rejects.toMatchObject({
      code: 'agent/prompt-too-large',
    });
  });

  test('a folder that is missing is a fault of the workspace, not a missing program', async () => {
    await expect(run(sandbox(), 'true', { cwd: join(folder, 'gone') })).rejects.toMatchObject({
      code: 'workspace/missing',
    });
  });
});

describe('the holder of a command in bwrap', () => {
  test.each([
    ['SIGTERM', 143],
    ['SIGKILL', 137],
  ])(
    'a command that kills its own holder ended by that signal; the sandbox is not to blame (%s)',
    async (name, code) => {
      const script = `pkill -${name.slice(3)} -f a-word-of-the-command; sleep 600`;
      const result = await run(bwrap, script);
      expect(result).toMatchObject({ ended: 'exit', exitCode: code, signal: name, oomKilled: false });
      expect(markedPids(result.id)).toEqual([]);
    },
  );

  test('only a sandbox that did not come so far as to start the command is unavailable', async () => {
    const failing = run(bwrap, 'true', { writable: [join(folder, 'is-not-there')] });
    await expect(failing).rejects.toMatchObject({ code: 'sandbox/unavailable' });
  });
});

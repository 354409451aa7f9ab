import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '#core/contract/http.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import type { RunEvent } from '#core/run/event.ts';
import { liveOutputPath } from '#infra/process/output-log.ts';
import { bodyOf, withApi, type TestApi } from '../test/integration/with-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await withApi();
});
afterAll(() => api.close());

const key = { step: 'work', pass: 1, attempt: 1 };
const attemptStarted: RunEvent = { type: 'attempt.started', at: 1, ...key };

async function resultOf(output: string, changes: Partial<AttemptResult> = {}): Promise<RunEvent> {
  const { sha256, bytes } = await api.parts.artifacts.putText(output);
  const result: AttemptResult = {
    end: { kind: 'ok' },
    output: { sha256, bytes, excerpt: '' },
    fingerprint: 'f',
    spend: { estimated: false, inputTokens: 0, outputTokens: 0 },
    findings: [],
    durationMs: 1,
    ...changes,
  };
  return { type: 'attempt.finished', at: 2, ...key, result };
}

async function writeLive(runId: string, text: string): Promise<void> {
  const path = liveOutputPath(api.parts.dataFolder, { runId, ...key });
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, text);
}

test('E-26: the output of a running attempt is text with byte ranges; past its end is a 416', async () => {
  const runId = await api.newRun();
  expect((await bodyOf(api.call(`/v1/runs/${runId}/output`), Problem)).code).toBe('output/not-found');
  await api.record(runId, [attemptStarted]);
  expect(await (await api.call(`/v1/runs/${runId}/output`)).text()).toBe('');
  await writeLive(runId, 'one\ntwo\n');
  const whole = await api.call(`/v1/runs/${runId}/output?step=work&pass=1&attempt=1`);
  expect([whole.status, await whole.text()]).toEqual([200, 'one\ntwo\n']);
  const part = await api.call(`/v1/runs/${runId}/output`, { headers: { range: 'bytes=4-' } });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 4-7/8', 'two\n']);
  const past = await api.call(`/v1/runs/${runId}/output`, { headers: { range: 'bytes=8-' } });
  expect(past.status).toBe(416);
  const none = await api.call(`/v1/runs/${runId}/output?pass=2`);
  expect([none.status, (await bodyOf(none, Problem)).detail]).toEqual([
    404,
    'No attempt that began fits this step and pass.',
  ]);
});

test('the output of a finished attempt comes from the store when its file is not on this machine', async () => {
  const runId = await api.newRun();
  await api.record(runId, [attemptStarted, await resultOf('the whole answer')]);
  const response = await api.call(`/v1/runs/${runId}/output`, { headers: { range: 'bytes=4-8' } });
  expect([response.status, await response.text()]).toEqual([206, 'whole']);
});

test('a stream follows an output as it is written, and ends with the attempt', async () => {
  const runId = await api.newRun();
  await api.record(runId, [attemptStarted]);
  await writeLive(runId, 'one ');
  const response = await api.call(`/v1/runs/${runId}/output`, { headers: { accept: 'text/event-stream' } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  const until = async (part: string) => {
    while (!seen.includes(part)) {
      const read = await reader?.read();
      if (read === undefined || read.done) return;
      seen += read.value;
    }
  };
  await until('one ');
  await writeLive(runId, '\u00e4nd two');
  await until('two');
  await api.record(runId, [await resultOf('')]);
  await until('never');
  const parts = [...seen.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1] ?? ''));
  expect(parts.map(({ text = '' }) => text).join('')).toBe('one \u00e4nd two');
  expect(parts[0].offset).toBe(0);
  expect(parts.at(-1)).toEqual({ offset: 12, ended: true });
  expect(seen).not.toMatch(/^id:/m);
});

test('a diff is that of the base and the last snapshot, or the last one of a pass', async () => {
  const repo = await mkdtemp(join(tmpdir(), 'setpoint-diff-'));
  const git = async (...args: string[]) =>
    (await execa('git', ['-C', repo, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args])).stdout;
  await git('init', '-q');
  const commits: { commit: string; tree: string; head: string }[] = [];
  for (const text of ['base', 'first', 'second']) {
    await writeFile(join(repo, 'file'), `${text}\n`);
    await git('add', '.');
    await git('commit', '-q', '-m', text);
    const commit = await git('rev-parse', 'HEAD');
    commits.push({ commit, tree: await git('rev-parse', 'HEAD^{tree}'), head: commit });
  }
  const [base, first, second] = commits;
  if (base === undefined || first === undefined || second === undefined) throw new TypeError('three commits were made');
  const runId = await api.newRun({ overrides: { repo } });
  expect((await bodyOf(api.call(`/v1/runs/${runId}/diff`), Problem)).code).toBe('diff/nothing-yet');
  await api.record(runId, [
    { type: 'workspace.opened', at: 1, hostId: 'h', queue: 'q', path: repo, base, notes: [] },
    await resultOf('', { snapshot: first }),
    { ...(await resultOf('', { snapshot: second })), pass: 2 } as RunEvent,
  ]);
  expect(await (await api.call(`/v1/runs/${runId}/diff`)).text()).toContain('-base\n+second');
  expect(await (await api.call(`/v1/runs/${runId}/diff?pass=1`)).text()).toContain('-base\n+first');
  expect((await api.call(`/v1/runs/${runId}/diff?pass=3`)).status).toBe(404);
  await rm(repo, { recursive: true });
});

test('an artifact is only ever a file to download, never a page (H4)', async () => {
  const { sha256 } = await api.parts.artifacts.putText('<script>alert(1)</script>');
  const response = await api.call(`/v1/artifacts/${sha256}`);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('<script>alert(1)</script>');
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
    'content-disposition': expect.stringMatching(/^attachment/),
  });
  const part = await api.call(`/v1/artifacts/${sha256}`, { headers: { range: 'bytes=1-6' } });
  expect([part.status, await part.text()]).toEqual([206, 'script']);
});

test('bytes are octets; an empty artifact, a missing one and a wrong name have their answers', async () => {
  const writer = api.parts.artifacts.openArtifact();
  writer.write(new Uint8Array([0, 1, 2]));
  const binary = await writer.finish();
  const response = await api.call(`/v1/artifacts/${binary.sha256}`);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([0, 1, 2]));
  const empty = await api.parts.artifacts.putText('');
  expect(await (await api.call(`/v1/artifacts/${empty.sha256}`)).text()).toBe('');
  expect((await bodyOf(api.call(`/v1/artifacts/${'0'.repeat(64)}`), Problem)).code).toBe('store/artifact-missing');
  expect((await api.call('/v1/artifacts/..%2f..%2fetc%2fpasswd')).status).toBe(400);
});

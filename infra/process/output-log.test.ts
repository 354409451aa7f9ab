import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { buildEnvironment } from '#infra/process/environment.ts';
import { liveOutputPath, openOutputLog, smallExcerpt, type OutputLog } from '#infra/process/output-log.ts';
import { runContained } from '#infra/process/run-contained.ts';
import { noSandbox } from '#infra/sandbox/sandbox.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'setpoint-log-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const key = { runId: 'run_1', step: 'work', pass: 2, attempt: 1 };

async function logged(script: string, log: OutputLog, env: Record<string, string> = {}, seen?: () => void) {
  return runContained(
    {
      argv: ['bash', '-c', script],
      cwd: root,
      env: buildEnvironment({ host: process.env, home: root, plan: env }),
      workspace: { path: root, access: 'write' },
      writable: [],
      timeoutSeconds: 60,
      containmentId: `log-${root}`,
      onOutput: (chunk) => {
        log.write(chunk);
        seen?.();
      },
    },
    { sandbox: noSandbox, signal: new AbortController().signal },
  );
}

describe('the output log of a process', () => {
  test('can be read while the process runs, and is in the store afterwards', async () => {
    const store = openArtifactStore(join(root, 'artifacts'));
    const log = openOutputLog({ path: liveOutputPath(root, key) });
    let live = '';
    await logged('echo one; read -r _ < <(sleep 0.05); echo two >&2', log, {}, () => {
      live ||= readFileSync(log.path, 'utf8');
    });
    expect(live).toBe('one\n');
    const texts = await log.finish(store);
    expect(texts.tail).toEqual({ combined: 'one\ntwo\n', stdout: 'one\n', stderr: 'two\n' });
    expect(await store.readText(texts.artifact.sha256)).toBe('one\ntwo\n');
    expect(texts.artifact).toMatchObject({ bytes: 8, excerpt: 'one\ntwo\n' });
    expect(readFileSync(log.path, 'utf8')).toBe('one\ntwo\n');
  });

  test('A9 the artifact keeps the raw bytes, the texts are normalised', async () => {
    const store = openArtifactStore(join(root, 'artifacts'));
    const log = openOutputLog({ path: liveOutputPath(root, key) });
    await logged(String.raw`printf '\033[31m1%%\r2%%\r\n\377\303'; printf '\251\0'`, log);
    const texts = await log.finish(store);
    expect(texts.tail.combined).toBe('2%\n\ufffdé\u2400');
    expect(texts.artifact.bytes).toBe(16);
  });

  test('A9 eight megabytes of invalid UTF-8 leave a bounded tail and excerpt', async () => {
    const store = openArtifactStore(join(root, 'artifacts'));
    const log = openOutputLog({ path: liveOutputPath(root, key) });
    await logged(String.raw`head -c 8388608 /dev/zero | tr '\0' '\377'`, log);
    const texts = await log.finish(store);
    expect(texts.artifact.bytes).toBe(8_388_608);
    expect(texts.tail.combined).toBe('\ufffd'.repeat(20_000));
    expect(texts.excerpt).toMatchObject({ cut: true, characters: 8_388_608 });
    expect(Buffer.byteLength(texts.artifact.excerpt)).toBeLessThanOrEqual(2_048);
  });

  test('C9 a failure in the middle of a long output is in the excerpt', async () => {
    const store = openArtifactStore(join(root, 'artifacts'));
    const log = openOutputLog({ path: liveOutputPath(root, key) });
    await logged('seq 1 20000; echo "FAIL src/a.test: expected 2 got 3"; seq 1 20000', log);
    const { excerpt } = await log.finish(store);
    expect(excerpt.text).toContain('line 20001: FAIL src/a.test: expected 2 got 3');
    expect(excerpt.text).toContain(`the whole: ${log.path}`);
  });

  test('H4 no form of a secret reaches the file, the tails or the excerpt (R057)', async () => {
    const store = openArtifactStore(join(root, 'artifacts'));
    const value = 'line-one-abcdef\nline-two-ghijkl';
    const log = openOutputLog({ path: liveOutputPath(root, key), secrets: [{ name: 'S', value }] });
    const script = [
      'printf line-one; sleep 0.05; printf -- "-abcdef\\n"; sleep 0.05; echo line-two-ghijkl',
      'printf %s "$S" | base64; echo "$S" | base64; printf "user:%s" "$S" | base64 -w 10',
      "python3 -c \"import json,os,sys,urllib.parse as u; print(json.dumps(os.environ['S'])); print(u.quote(os.environ['S']))\"",
      'git clone "https://u:$S@127.0.0.1:1/x" 2>&1',
    ].join('\n');
    await logged(script, log, { S: value });
    const texts = await log.finish(store);
    const all = [readFileSync(log.path, 'latin1'), texts.tail.combined, texts.excerpt.text].join('\n');
    expect(all).toContain('[redacted]');
    expect(all.replaceAll('\n', '')).not.toMatch(
      /line-one|one-abcdef|line-two|two-ghijkl|bGluZS1vbm|bHVuZS10d28t|xpbmUtb25l|saW5lLW9uZS/,
    );
  });

  test('a second attempt under the same path does not change what the store holds of the first', async () => {
    const store = openArtifactStore(join(root, 'artifacts'));
    const first = openOutputLog({ path: liveOutputPath(root, key) });
    await logged('echo first', first);
    const { artifact } = await first.finish(store);
    const second = openOutputLog({ path: liveOutputPath(root, key) });
    await logged('echo second', second);
    second.close();
    expect(await store.readText(artifact.sha256)).toBe('first\n');
  });

  test('the path stays inside the data folder whatever the names are', () => {
    const path = liveOutputPath('/data', { ...key, step: '../../etc', check: 'a/b' });
    expect(path).toBe('/data/output/run_1/%2E%2E%2F%2E%2E%2Fetc/2-1-a%2Fb.log');
  });

  test('a small excerpt is at most 2 KiB, in any script', () => {
    for (const char of ['a', 'é', '語', '😀'])
      expect(Buffer.byteLength(smallExcerpt(char.repeat(9_000)))).toBeLessThanOrEqual(2_048);
  });
});

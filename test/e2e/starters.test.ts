import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { RunListed, RunOutcome } from '#core/contract/http.ts';
import { until } from '../faults/until.ts';
import { jsonRun, type JsonRun } from './cli.ts';
import type { Files, Repository } from './repository.ts';
import { sharedStack, type TestStack } from './stack.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await sharedStack();
});

const tested = (body: string): string =>
  `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n${body}\n`;
const sumTest = tested("import { sum } from '../src/sum.mjs';\ntest('sum', () => assert.equal(sum(2, 3), 5));");
const wrongSum = 'export const sum = (a, b) => a - b;\n';
const rightSum = 'export const sum = (a, b) => a + b;\n';

const node: Files = {
  'package.json': JSON.stringify({ name: 'small', version: '1.0.0', scripts: { test: 'node --test' } }),
  'package-lock.json': JSON.stringify({
    name: 'small',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {},
  }),
  'src/sum.mjs': rightSum,
  'test/sum.test.mjs': sumTest,
  'README.md': '# Small\n\n```sh\nnpm ci && npm test\n```\n',
};

const write = (path: string, text: string): string => `cat > ${path} <<'END'\n${text.trimEnd()}\nEND`;
const verdict = (passed: boolean, finding = ''): string =>
  `echo '${JSON.stringify({
    passed,
    summary: passed ? 'It holds.' : 'It does not hold.',
    blockingFindings: passed ? [] : [{ criterion: 'the criterion', evidence: finding }],
  })}'`;

interface Starting {
  /** Shell for each pass of the agent that works; and of the one that reviews, which agrees unless it is given. */
  passes: string[];
  reviews?: string[];
  /** Of the agent of the first step that names one, where that is another one. */
  first?: string[];
  inputs?: string[];
  flags?: string[];
}

/** Writes a starter as a user does, lets scripted agents stand in for the named ones, and runs it. */
async function start(name: string, repository: Repository, starting: Starting): Promise<JsonRun> {
  const { passes, reviews = [verdict(true)], first, inputs = [], flags = [] } = starting;
  const reviewed = ['fix-until-green', 'release-notes'].includes(name) ? [] : ['reviewer=claude'];
  const named = ['agent=codex', ...reviewed, ...inputs].flatMap((input) => ['--input', input]);
  const made = await stack.cli(['init', name, '--yes', ...named], { cwd: repository.path });
  expect([made.code, made.stderr]).toEqual([0, '']);
  const file = join(repository.path, `${name}.loop.yaml`);
  const scripted = (script: readonly string[]): string =>
    `agent: ${JSON.stringify({ name: 'scripted', passes: script })}`;
  const text = readFileSync(file, 'utf8')
    .replace('agent: codex', () => scripted(first ?? passes))
    .replaceAll('agent: codex', () => scripted(passes))
    .replaceAll('agent: claude', () => scripted(reviews));
  writeFileSync(file, text);
  return jsonRun(await stack.cli(['run', `${name}.loop.yaml`, '--json', ...flags], { cwd: repository.path }));
}

/** Stop, and how often each loop went back. */
function told({ outcome, ...run }: JsonRun): unknown {
  return { stop: outcome.stop, loops: run.of('loop.fired').map(({ step, to, count }) => `${step} to ${to} ${count}`) };
}

const passed = (loops: string[]) => ({ stop: 'succeeded', loops });

describe.concurrent('starters, run in a small repository', () => {
  test('V-30: Feature goes back from its tests and from its review, asks, and delivers what was approved', async () => {
    const repository = stack.repository({ ...node, 'src/sum.mjs': 'export const sum = () => NaN;\n' });
    const run = await start('feature', repository, {
      first: ['echo "Plan: add the two."'],
      passes: [write('src/sum.mjs', wrongSum), write('src/sum.mjs', rightSum), `${write('NOTES.md', 'Why.')}`],
      reviews: ['false', 'echo "Say why.\nVERDICT: CHANGES_REQUESTED"', 'echo "VERDICT: APPROVE"'],
      flags: ['--no-wait', '--input', 'request=Add two numbers'],
    });
    expect(run.code).toBe(3);
    expect(told(run)).toMatchObject({ loops: ['test to implement 1', 'review to implement 1'] });
    const prompts = run.of('attempt.finished').map(({ step, pass }) => `${step} ${pass}`);
    expect(prompts).toEqual([
      'plan 1',
      'implement 1',
      'test 1',
      'implement 2',
      'test 2',
      'review 2',
      'implement 3',
      'test 3',
      'review 3',
    ]);
    const { runId } = run.outcome;
    expect((await stack.cli(['approve', runId])).code).toBe(0);
    const ended = RunOutcome.parse(JSON.parse((await stack.cli(['watch', runId, '--quiet'])).stdout));
    expect(ended).toMatchObject({ stop: 'succeeded', delivery: 'branch' });
    expect(repository.git('show', `${ended.branch}:src/sum.mjs`)).toBe(rightSum.trim());
  });

  test('E-22: fix-until-green goes on until the suite passes, and the tests are protected', async () => {
    const repository = stack.repository({ ...node, 'src/sum.mjs': wrongSum });
    const passes = [
      write('test/sum.test.mjs', tested("test('nothing', () => assert.ok(true));")),
      `${write('test/sum.test.mjs', sumTest)}\n${write('src/sum.mjs', rightSum)}`,
    ];
    const run = await start('fix-until-green', repository, { passes });
    expect(told(run)).toEqual(passed(['work to work 1']));
    expect(
      run.of('check.judged').some(({ check, verdict: { kind } }) => check.includes('protected') && kind === 'fail'),
    ).toBe(true);
  });

  test('E-22: the docs sweep mends a link that leads nowhere, then what the reviewer found', async () => {
    const repository = stack.repository({
      ...node,
      'README.md': 'See [the guide](docs/guide.md#top) and [us](https://example.org).\n',
    });
    const run = await start('docs-sweep', repository, {
      passes: [
        'true',
        `mkdir -p docs; ${write('docs/guide.md', '# Guide')}`,
        write('docs/guide.md', '# Guide\n\nsum adds.'),
      ],
      reviews: [verdict(false), verdict(false, 'docs/guide.md says nothing of sum'), verdict(true)],
    });
    expect(told(run)).toEqual(passed(['work to work 1', 'work to work 2']));
    expect(run.of('check.judged').find(({ check }) => check === 'docs')?.verdict).toMatchObject({ kind: 'fail' });
  });

  test('E-22: the production error sweep gives what production reported to the agent', async () => {
    const repository = stack.repository({
      ...node,
      'errors.log': 'TypeError: sum is broken {{x}} $& 12 times\n',
      'src/sum.mjs': wrongSum,
    });
    const run = await start('production-error-sweep', repository, {
      inputs: ['errors=cat errors.log'],
      passes: ['true', write('src/sum.mjs', rightSum)],
    });
    expect(told(run)).toEqual(passed(['mend to mend 1']));
    const prompt = run.of('attempt.finished').find(({ step }) => step === 'mend')?.result.echoed?.excerpt;
    expect(prompt).toContain('TypeError: sum is broken {{x}} $& 12 times');
  });

  test('E-22: the coverage push reads what was covered and goes on until the target is reached', async () => {
    const other =
      'export const used = () => 1;\nexport const unused = (a) => {\n  if (a) {\n    return 1;\n  }\n  return 2;\n};\n';
    const both = tested(
      "import { used, unused } from '../src/other.mjs';\ntest('used', () => assert.equal(used(), 1));\ntest('unused', () => assert.deepEqual([unused(true), unused(false)], [1, 2]));",
    );
    const half = tested("import { used } from '../src/other.mjs';\ntest('used', () => assert.equal(used(), 1));");
    const repository = stack.repository({ ...node, 'src/other.mjs': other, 'test/other.test.mjs': half });
    const run = await start('coverage-push', repository, {
      inputs: ['target=90'],
      passes: ['echo "nothing yet" > seen.txt', `rm -f seen.txt; ${write('test/other.test.mjs', both)}`],
    });
    expect(told(run)).toEqual(passed(['work to work 1']));
    const [first, last] = run
      .of('check.judged')
      .filter(({ check }) => check === 'coverage')
      .map(({ verdict }) => verdict.kind);
    expect([first, last]).toEqual(['fail', 'pass']);
  });

  test('E-22: the cleanup removes what a tool calls unused', async () => {
    const repository = stack.repository({ ...node, 'src/old.mjs': 'export {};\n' });
    const run = await start('repository-cleanup', repository, {
      inputs: ['unused=test ! -e src/old.mjs'],
      passes: ['echo x > note.txt', 'rm -f note.txt src/old.mjs'],
    });
    expect(told(run)).toEqual(passed(['work to work 1']));
    expect(repository.git('ls-tree', '--name-only', '-r', run.outcome.branch ?? '')).not.toContain('old.mjs');
  });

  test('E-22: the flaky test stabiliser asks for so many rounds in a row', async () => {
    const flaky = tested(
      "import { existsSync, writeFileSync } from 'node:fs';\ntest('once', () => { const seen = existsSync('state'); writeFileSync('state', ''); assert.ok(!seen); });",
    );
    const repository = stack.repository({ ...node, '.gitignore': 'state\n', 'test/flaky.test.mjs': flaky });
    const steady = tested(
      "import { rmSync, existsSync } from 'node:fs';\ntest('once', () => { rmSync('state', { force: true }); assert.ok(!existsSync('state')); });",
    );
    const run = await start('flaky-tests', repository, {
      inputs: ['rounds=3'],
      passes: ['echo "looked" > note.txt', `rm -f note.txt; ${write('test/flaky.test.mjs', steady)}`],
    });
    expect(told(run)).toEqual(passed(['work to work 1']));
    const judged = run
      .of('check.judged')
      .filter(({ check }) => check === 'in a row')
      .map(({ verdict }) => verdict.kind);
    expect([judged[0], judged.at(-1)]).toEqual(['fail', 'pass']);
  });

  test('E-22: the CVE burndown goes on until npm audit finds nothing', async ({ onTestFinished }) => {
    const audited: string[] = [];
    const versions = Object.fromEntries(
      ['1.2.0', '1.3.0'].map((version) => [
        version,
        { name: 'small-dependency', version, dist: { tarball: 'http://127.0.0.1/d.tgz' } },
      ]),
    );
    const packument = { name: 'small-dependency', 'dist-tags': { latest: '1.3.0' }, versions };
    const registry = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        audited.push(request.url ?? '');
        const advisory = {
          id: 1,
          url: 'https://example.org/1',
          title: 'Bad',
          severity: 'critical',
          vulnerable_versions: '<1.3.0',
        };
        response.setHeader('content-type', 'application/json');
        if (request.method === 'GET') return void response.end(JSON.stringify(packument));
        response.end(
          JSON.stringify({ 'small-dependency': [{ ...advisory, cwe: [], cvss: { score: 9.8, vectorString: null } }] }),
        );
      });
    });
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void registry.close());
    const address = registry.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const at = (version: string): Files => ({
      'package.json': JSON.stringify({
        name: 'small',
        version: '1.0.0',
        scripts: { test: 'node --test' },
        dependencies: { 'small-dependency': version },
      }),
      'package-lock.json': JSON.stringify({
        name: 'small',
        version: '1.0.0',
        lockfileVersion: 3,
        requires: true,
        packages: {
          '': { name: 'small', version: '1.0.0', dependencies: { 'small-dependency': version } },
          'node_modules/small-dependency': {
            version,
            resolved: `http://127.0.0.1:${port}/d.tgz`,
            integrity: 'sha512-AA==',
          },
        },
      }),
    });
    const repository = stack.repository({ ...node, ...at('1.2.0'), '.npmrc': `registry=http://127.0.0.1:${port}/\n` });
    const files = Object.entries(at('1.3.0'))
      .map(([path, text]) => write(path, text))
      .join('\n');
    const run = await start('cve-burndown', repository, {
      inputs: ['setup='],
      passes: ['echo x > note.txt', `rm -f note.txt\n${files}`],
    });
    expect(told(run)).toEqual(passed(['work to work 1']));
    expect(audited.some((url) => url.includes('advisories/bulk'))).toBe(true);
  });

  test('E-22: the onboarding check types the commands in a clean checkout of the commit', async () => {
    const needy = tested("import { value } from '../made.mjs';\ntest('made', () => assert.equal(value, 1));");
    const repository = stack.repository({ ...node, '.gitignore': 'made.mjs\n', 'test/made.test.mjs': needy });
    const scripts = {
      test: 'node --test',
      pretest: "node -e \"fs.writeFileSync('made.mjs', 'export const value = 1;')\"",
    };
    const run = await start('onboarding-check', repository, {
      // Made by hand in the workspace, which a fresh clone has not.
      passes: [
        "echo 'export const value = 1;' > made.mjs",
        write('package.json', JSON.stringify({ name: 'small', version: '1.0.0', scripts })),
      ],
    });
    expect(told(run)).toEqual(passed(['work to work 1']));
  });

  test('E-22: the accessibility repair goes on until the checker finds nothing and the reviewer agrees', async () => {
    const checker =
      "import { readFileSync } from 'node:fs';\nif (/<img(?![^>]* alt=)/.test(readFileSync('index.html', 'utf8'))) { console.error('an image without alt'); process.exit(1); }\n";
    const repository = stack.repository({ ...node, 'check.mjs': checker, 'index.html': '<img src="a.png">\n' });
    const run = await start('accessibility-repair', repository, {
      inputs: ['accessibility=node check.mjs'],
      passes: [
        write('index.html', '<img src="a.png" title="x">'),
        write('index.html', '<img src="a.png" alt="x">'),
        write('index.html', '<img src="a.png" alt="A chart of sales">'),
      ],
      reviews: [verdict(false), verdict(false, 'index.html: "x" says nothing'), verdict(true)],
    });
    expect(told(run)).toEqual(passed(['work to work 1', 'work to work 2']));
  });

  test('E-22: the release notes are drafted from the history, judged by a command, and agreed with by a person', async () => {
    const repository = stack.repository(node);
    repository.git('tag', 'v1.0.0');
    repository.commit({ 'src/new.mjs': 'export {};\n' });
    const run = await start('release-notes', repository, {
      passes: [
        'echo later > CHANGELOG.md',
        write('CHANGELOG.md', '# Changes\n\n## 1.1.0\n\n- New.'),
        write('CHANGELOG.md', '# Changes\n\n## 1.1.0\n\n- Something new.'),
      ],
      flags: ['--no-wait', '--input', 'version=1.1.0'],
    });
    expect([run.code, told(run)]).toEqual([3, expect.objectContaining({ loops: ['draft to draft 1'] })]);
    const { runId } = run.outcome;
    expect((await stack.cli(['push-back', runId, '--message', 'Say what is new.'])).code).toBe(0);
    expect((await stack.cli(['watch', runId, '--no-wait', '--quiet'])).code).toBe(3);
    expect((await stack.cli(['approve', runId])).code).toBe(0);
    const ended = RunOutcome.parse(JSON.parse((await stack.cli(['watch', runId, '--quiet'])).stdout));
    expect(ended).toMatchObject({ stop: 'succeeded' });
    expect(repository.git('show', `${ended.branch}:CHANGELOG.md`)).toContain('Something new');
  });

  test('E-22, B10: a command that nobody named cannot run: the run pauses and says so', async () => {
    const repository = stack.repository({ 'README.md': 'Nothing tells how this is tested.\n' });
    const made = await stack.cli(['init', 'fix-until-green', '--yes', '--agent', 'codex'], { cwd: repository.path });
    expect(made.stdout).toContain('Nothing here tells test: look for REPLACE THIS in fix-until-green.loop.yaml');
    const file = join(repository.path, 'fix-until-green.loop.yaml');
    const scripted = JSON.stringify({ name: 'scripted', passes: ['echo worked > note.txt'] });
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('agent: codex', () => `agent: ${scripted}`),
    );
    const started = await stack.cli(['run', file, '--detach'], { cwd: repository.path });
    const { runId } = RunOutcome.parse(JSON.parse(started.stdout));
    const summary = await until(`${runId} is paused`, async () => {
      const run = RunListed.parse(await (await stack.call(`/v1/runs/${runId}`)).json());
      return run.summary.status === 'running' || run.summary.status === 'queued' ? undefined : run.summary;
    });
    expect(summary).toMatchObject({ status: 'paused', why: expect.stringContaining('tests') });
    expect((await stack.cli(['cancel', runId])).code).toBe(0);
  });
});

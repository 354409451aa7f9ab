import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';
import { compileText } from '#dialects/parse.ts';

import { starterNames } from '#cli/init/starters.ts';
import { type ScriptedContext, scriptedContext, type Scripting } from '#cli/testing/scripted-context.ts';

const agents = [
  { name: 'codex', installed: true, signedIn: 'unknown' },
  { name: 'claude', installed: true, signedIn: 'yes' },
  { name: 'pi', installed: false, signedIn: 'unknown' },
];

const nodeRepository = {
  'package.json': JSON.stringify({
    scripts: { test: 'vitest run', lint: 'eslint .', a11y: 'pa11y-ci' },
    devDependencies: { vitest: '4', knip: '6' },
  }),
  'package-lock.json': '{}',
  'src/a.js': '',
  'src/a.test.js': '',
  'README.md': 'Read me.\n',
};

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-init-test-'));
});

afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

async function repository(files: Readonly<Record<string, string>> = nodeRepository): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const git = (...argv: string[]): unknown => execFileSync('git', ['-C', cwd, ...argv]);
  git('init', '-q', '-b', 'trunk');
  git('add', '-A');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'base');
  git('update-ref', 'refs/remotes/origin/trunk', 'HEAD');
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
}

async function context(found: unknown = agents, rest: Partial<Scripting> = {}): Promise<ScriptedContext> {
  const probe = await mkdtemp(join(tmpdir(), 'setpoint-init-agents-'));
  const entry = join(probe, 'agents.mjs');
  await writeFile(entry, `console.log(${JSON.stringify(JSON.stringify(found))})`);
  return scriptedContext({ cwd, entries: { 'workers/agents.js': entry }, ...rest });
}

async function planIn(file: string): Promise<Plan> {
  const compiled = compileText({ text: await readFile(join(cwd, file), 'utf8'), file });
  if (compiled.kind === 'issues') throw new TypeError(JSON.stringify(compiled.issues));
  expect(compiled.warnings).toEqual([]);
  return compiled.plan;
}

test.each(starterNames)('E-22, V-30: %s is a definition, filled with what the repository tells', async (name) => {
  await repository();
  const { code, out } = await (await context()).run('init', name);
  expect(code).toBe(0);
  const plan = await planIn(`${name}.loop.yaml`);
  expect(out[0]).toBe(`Wrote ${name}.loop.yaml (${plan.name}).`);
  expect(out.slice(-3)).toEqual([
    'Next:',
    `  setpoint plan ${name}.loop.yaml`,
    expect.stringContaining(`  setpoint run ${name}.loop.yaml`),
  ]);
  expect(plan.workspace.base).toBe('trunk');
  expect(JSON.stringify(plan)).toContain('"name":"claude"');
});

test('V-30: Feature plans, implements, tests, reviews, asks; tests and review go back to implement, 2 each', async () => {
  await repository();
  const { out } = await (await context()).run('init', 'feature');
  expect(out.at(-1)).toBe('  setpoint run feature.loop.yaml --input request="…"');
  const { steps } = await planIn('feature.loop.yaml');
  const loops = steps.map(({ id, loop }) => [id, loop?.to, loop?.limit]);
  expect(loops).toEqual([
    ['plan', undefined, undefined],
    ['implement', undefined, undefined],
    ['test', 'implement', 2],
    ['review', 'implement', 2],
    ['approve', 'implement', expect.anything()],
  ]);
});

test('V-31: the review of Feature asks for one line and reads it', async () => {
  await repository();
  await (await context()).run('init', 'feature');
  const review = (await planIn('feature.loop.yaml')).steps.find(({ id }) => id === 'review');
  const work = review?.work.kind === 'agent' ? review.work : undefined;
  expect(work?.prompt).toContain('VERDICT: APPROVE');
  expect(work?.prompt).toContain('VERDICT: CHANGES_REQUESTED');
  expect(work?.agent.name).toBe('codex');
  expect(review?.match?.pass).toContain('VERDICT');
});

test('E-22: an empty repository gives placeholders that say so and never a guess', async () => {
  await repository({ 'README.md': 'x' });
  const { code, out } = await (await context([])).run('init', 'cve-burndown');
  expect(code).toBe(0);
  expect(out).toContain(
    'Nothing here tells audit, test: look for REPLACE THIS in cve-burndown.loop.yaml, and write your commands there.',
  );
  const text = await readFile(join(cwd, 'cve-burndown.loop.yaml'), 'utf8');
  expect(text).toContain('# REPLACE THIS');
  expect(text).toContain('exit 127');
  expect(text).toContain('agent: auto');
  expect(text).not.toMatch(/^ *setup:/m);
});

test('T-22: init overwrites nothing, by default name and by --file', async () => {
  await repository();
  await writeFile(join(cwd, 'feature.loop.yaml'), 'mine');
  const { code, err } = await (await context()).run('init', 'feature');
  expect(code).toBe(2);
  expect(err.join('\n')).toContain('feature.loop.yaml is there already');
  expect(err.join('\n')).toContain('--file PATH');
  expect(await readFile(join(cwd, 'feature.loop.yaml'), 'utf8')).toBe('mine');
  expect((await (await context()).run('init', 'feature', '--file', 'package.json')).code).toBe(2);
});

test('T-22: --file makes the folders above it; a path through a file is refused', async () => {
  await repository();
  expect((await (await context()).run('init', 'feature', '--file', 'loops/deep/f.loop.yaml')).code).toBe(0);
  expect(existsSync(join(cwd, 'loops/deep/f.loop.yaml'))).toBe(true);
  const { code, err } = await (await context()).run('init', 'feature', '--file', 'README.md/f.loop.yaml');
  expect(code).toBe(2);
  expect(err.join('\n')).toContain('cannot be written');
});

test('E-22: without a name and a terminal the starters are listed, exit 2', async () => {
  const { code, out, err } = await (await context()).run('init');
  expect(code).toBe(2);
  expect(out.map((line) => line.split(' ')[0])).toEqual(starterNames);
  expect(err.join('\n')).toContain('setpoint init <starter>');
});

test('E-22: an unknown starter and an unknown input name the nearest', async () => {
  await repository();
  const unknown = await (await context()).run('init', 'featrue');
  expect([unknown.code, unknown.err.join()]).toEqual([2, expect.stringContaining('did you mean `feature`?')]);
  const input = await (await context()).run('init', 'feature', '--input', 'tets=x');
  expect([input.code, input.err.join()]).toEqual([2, expect.stringContaining('did you mean `test`?')]);
  expect((await (await context()).run('init', 'feature', '--input', 'test')).code).toBe(2);
  expect((await (await context()).run('init', 'feature', '--input', 'test=a\nb')).code).toBe(2);
});

test('E-22: --input wins over what is found; an empty one leaves the line out; another agent changes the reviewer', async () => {
  await repository();
  const inputs = ['test=make "check: all"', 'setup=', 'agent=codex'].flatMap((input) => ['--input', input]);
  await (await context()).run('init', 'feature', ...inputs);
  const { steps, workspace } = await planIn('feature.loop.yaml');
  expect(
    steps.map(({ work }) => (work.kind === 'agent' ? work.agent.name : work.kind === 'run' ? work.command : '')),
  ).toEqual(['codex', 'codex', 'make "check: all"', 'claude', '']);
  expect(workspace.setup).toBeUndefined();
});

test('an --input that makes no definition is told with its issues, and nothing is written', async () => {
  await repository();
  const { code, err } = await (await context()).run('init', 'feature', '--input', 'agent=nobody');
  expect(code).toBe(2);
  expect(err.join('\n')).toContain('nobody');
  expect(existsSync(join(cwd, 'feature.loop.yaml'))).toBe(false);
});

test('a folder outside of git is said, and the file is written', async () => {
  const { code, err } = await (await context()).run('init', 'fix-until-green', '--input', 'test=true');
  expect(code).toBe(0);
  expect(err.join('\n')).toContain('git init');
});

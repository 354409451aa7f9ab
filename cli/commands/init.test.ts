import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { examine } from '#core/doctor/examine.ts';
import type { Plan } from '#core/plan/plan.ts';
import { compileText } from '#dialects/parse.ts';

import { starterNames } from '#cli/init/starters.ts';
import { makeSmallRepository, nodeRepository, printingProgram, twoAgents } from '#cli/testing/small-repository.ts';
import { type ScriptedContext, scriptedContext, type Scripting } from '#cli/testing/scripted-context.ts';
import { scriptedPrompts } from '#cli/testing/scripted-prompts.ts';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-init-test-'));
});

afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

const repository = (files: Readonly<Record<string, string>> = nodeRepository) => makeSmallRepository(cwd, files);

async function context(found: unknown = twoAgents, rest: Partial<Scripting> = {}): Promise<ScriptedContext> {
  const entry = await printingProgram(join(cwd, '.programs'), found);
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

test('E-22: in a terminal it asks which starter, which agent, whether what was found is right, and for the rest', async () => {
  await repository({ 'README.md': 'x' });
  const prompts = scriptedPrompts([
    ['Which starter?', 'fix-until-green'],
    ['Which agent does the work?', 'codex'],
    ['Take this as it is?', true],
    ['runs the tests', 'make check'],
    ['linter', ''],
    ['fresh checkout', ''],
    ['must not be edited', 'spec/**'],
  ]);
  expect((await (await context(twoAgents, { prompts })).run('init')).code).toBe(0);
  expect(prompts.left()).toEqual([]);
  expect(prompts.shown.get('Found in this repository')).toContain('base: trunk  (the default branch of origin)');
  const { steps, workspace } = await planIn('fix-until-green.loop.yaml');
  expect(steps[0]).toMatchObject({ work: { agent: { name: 'codex' } }, checks: [{ command: 'make check' }] });
  expect(workspace).toMatchObject({ base: 'trunk', protect: ['spec/**'] });
});

test('E-22: what was found can be changed, and Ctrl-C leaves nothing', async () => {
  await repository();
  const changed = scriptedPrompts([
    ['Which agent', undefined],
    ['Take this as it is?', false],
    ['runs the tests', 'npm run other'],
    ['linter', ''],
    ['fresh checkout', undefined],
    ['From which branch', undefined],
    ['must not be edited', undefined],
  ]);
  await (await context(twoAgents, { prompts: changed })).run('init', 'fix-until-green');
  const { steps, workspace } = await planIn('fix-until-green.loop.yaml');
  expect(steps[0]?.checks).toMatchObject([{ command: 'npm run other' }]);
  expect(workspace).toMatchObject({ setup: 'npm ci', base: 'trunk', protect: ['**/*.test.*'] });
  const prompts = scriptedPrompts([['Which agent', { leave: true }]]);
  const { code, err } = await (await context(twoAgents, { prompts })).run('init', 'docs-sweep');
  expect([code, err.join()]).toEqual([130, expect.stringContaining('nothing was written')]);
  expect(existsSync(join(cwd, 'docs-sweep.loop.yaml'))).toBe(false);
});

test.each(starterNames)(
  'E-22, E-20: the doctor has no finding in %s when the repository tells its commands',
  async (name) => {
    await repository();
    const inputs = ['errors=./errors.sh'].flatMap((input) =>
      name === 'production-error-sweep' ? ['--input', input] : [],
    );
    await (await context()).run('init', name, ...inputs);
    const { findings, loops } = examine(await planIn(`${name}.loop.yaml`));
    expect(findings.map(({ rule, path, message }) => `${rule} ${path}: ${message}`)).toEqual([]);
    expect(loops.every(({ closed }) => closed)).toBe(true);
  },
);

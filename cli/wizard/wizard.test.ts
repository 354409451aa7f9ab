import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { compileText } from '#dialects/parse.ts';

import { runId, shown, stream, succeeded, twoPasses } from '#cli/testing/sample-run.ts';
import { type Ended, scriptedContext } from '#cli/testing/scripted-context.ts';
import { type ScriptedPrompts, scriptedPrompts } from '#cli/testing/scripted-prompts.ts';
import { json, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
import { makeSmallRepository, nodeRepository, printingProgram, twoAgents } from '#cli/testing/small-repository.ts';

let cwd: string;
let folder: string;
let server: ScriptedServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'setpoint-wizard-test-'));
  cwd = join(folder, 'work');
  await makeSmallRepository(cwd, nodeRepository);
  server = await startScriptedServer();
  server.on('POST /v1/runs', json({ runId, warnings: [] }, 201));
  server.on(`GET /v1/runs/${runId}/events`, stream(twoPasses));
  server.on(`GET /v1/runs/${runId}`, json(shown(succeeded)));
});

afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function bare(prompts: ScriptedPrompts, agents: unknown = twoAgents): Promise<Ended> {
  const entry = await printingProgram(folder, agents);
  const environment = { url: server.url };
  return scriptedContext({ cwd, prompts, environment, entries: { 'workers/agents.js': entry } }).run();
}

const task = [
  ['What shall be done?', 'A task, in your own words'],
  ['What is the task?', 'Make the importer accept {{CSV}}'],
  ['Which agent does it?', 'claude'],
  ['Who says how it is judged?', 'You'],
  ['What judges the work?', ['npm test', 'a review by another agent']],
  ['A command of yours', 'make check'],
  ['How many passes', '3'],
  ['How long', '45m'],
  ['How much may it spend', '2 USD'],
  ['What happens to work', 'a commit'],
  ['May the agent edit the tests', false],
] as const;

test('T-22: bare in a terminal, a task in words becomes a definition that is shown, explained, written and started', async () => {
  const prompts = scriptedPrompts([
    ...task,
    ['Write it to which file?', undefined],
    ['Write make-the-importer-accept.loop.yaml?', true],
    ['Start the run now?', true],
  ]);
  const { code } = await bare(prompts);
  expect(code).toBe(0);
  expect(prompts.left()).toEqual([]);
  const text = await readFile(join(cwd, 'make-the-importer-accept.loop.yaml'), 'utf8');
  expect(prompts.shown.get('The definition')).toBe(text);
  expect(prompts.shown.get('What the doctor says')).toBeUndefined();
  expect(prompts.shown.get('What it does')).toContain('Plan "Make the importer accept {{CSV}}"');
  const compiled = compileText({ text });
  expect(compiled).toMatchObject({
    plan: {
      steps: [
        {
          work: { agent: { name: 'claude' } },
          checks: [{ command: 'make check' }, { command: 'npm test' }, { kind: 'review', agent: { name: 'codex' } }],
          loop: { limit: 2 },
        },
      ],
      limits: { timeSeconds: 2700, spendUsd: 2 },
      workspace: { base: 'trunk', setup: 'npm ci', protect: ['**/*.test.*'] },
      deliver: { mode: 'commit' },
    },
  });
  expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({ source: text, overrides: { repo: cwd } });
});

test('T-22: a starter is asked for, filled, and not started when the person does not want that', async () => {
  const prompts = scriptedPrompts([
    ['What shall be done?', 'A starter'],
    ['Which starter?', 'feature'],
    ['Which agent does the work?', 'claude'],
    ['Take this as it is?', true],
    ['Write it to which file?', 'loops/new.loop.yaml'],
    ['Write loops/new.loop.yaml?', true],
    ['Start the run now?', false],
  ]);
  const { code, out } = await bare(prompts);
  expect(code).toBe(0);
  expect(out.at(-1)).toBe('  setpoint run loops/new.loop.yaml --input request="…"');
  expect(await readFile(join(cwd, 'loops/new.loop.yaml'), 'utf8')).toContain('name: Feature');
  expect(server.received).toEqual([]);
});

test('T-22: a file that is here is explained, and started with the inputs that it requires', async () => {
  const definition = {
    inputs: { issue: { required: true }, mode: { default: 'x' } },
    steps: { work: { run: 'true' } },
  };
  await writeFile(join(cwd, 'own.loop.json'), JSON.stringify(definition));
  const prompts = scriptedPrompts([
    ['What shall be done?', 'A definition that is here already'],
    ['Which file?', 'own.loop.json'],
    ['Start the run now?', true],
    ['Input issue?', '42'],
  ]);
  expect((await bare(prompts)).code).toBe(0);
  expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({ inputs: { issue: '42' } });
});

test('T-22: an existing file is never overwritten', async () => {
  const named = bare(scriptedPrompts([...task, ['Write it to which file?', 'README.md']]));
  await expect(named).rejects.toThrow('README.md is there already: name another');
  expect(await readFile(join(cwd, 'README.md'), 'utf8')).toBe('Read me.\n');
});

test('T-22: where a file of that name is there, another one is proposed', async () => {
  const first = 'make-the-importer-accept.loop.yaml';
  await writeFile(join(cwd, first), 'mine');
  const prompts = scriptedPrompts([
    ...task,
    ['Write it to which file?', undefined],
    ['Write make-the-importer-accept-2.loop.yaml?', true],
    ['Start the run now?', false],
  ]);
  expect((await bare(prompts)).code).toBe(0);
  expect(await readFile(join(cwd, first), 'utf8')).toBe('mine');
});

test.each([...task.map(([words]) => words), 'Write it to which file?', 'Write make-the'])(
  'T-22: Ctrl-C at "%s" leaves nothing behind, exit 130',
  async (words) => {
    const before = (await readdir(cwd)).toSorted();
    const answers = [...task, ['Write it to which file?', undefined], ['Write make-the', true]] as const;
    const at = answers.findLastIndex(([question]) => question === words);
    const { code } = await bare(scriptedPrompts([...answers.slice(0, at), [words, { leave: true }]]));
    expect(code).toBe(130);
    expect((await readdir(cwd)).toSorted()).toEqual(before);
    expect(server.received).toEqual([]);
  },
);

test('T-22: where no agent is installed, `auto` is what can be chosen', async () => {
  const prompts = scriptedPrompts([...task.slice(0, 2), ['Which agent does it?', 'claude']]);
  await expect(bare(prompts, [])).rejects.toThrow('it has auto');
});

test('T-22, E-21: a suggestion takes the place of the form, and is shown before it is written', async () => {
  const suggestion = {
    name: 'CSV',
    checks: [{ kind: 'command', name: 'tests', run: 'npm test', why: 'It fails.' }],
    mode: 'all',
    passes: 4,
    why: 'Small.',
  };
  const suggest = await printingProgram(join(folder, 'suggest'), { event: 'suggested', agent: 'claude', suggestion });
  const agents = await printingProgram(folder, twoAgents);
  const prompts = scriptedPrompts([
    ...task.slice(0, 3),
    ['Who says how it is judged?', 'The agent suggests it'],
    ['Write it to which file?', 'csv.loop.yaml'],
    ['Write csv.loop.yaml?', true],
    ['Start the run now?', false],
  ]);
  const entries = { 'workers/agents.js': agents, 'workers/suggest.js': suggest };
  expect((await scriptedContext({ cwd, prompts, entries }).run()).code).toBe(0);
  expect(await readFile(join(cwd, 'csv.loop.yaml'), 'utf8')).toBe(prompts.shown.get('The definition'));
  expect(prompts.shown.get('The definition')).toContain('# Suggested by claude');
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import type { Plan } from '#core/plan/plan.ts';

import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';
import { runId, samplePlan, shown, succeeded, twoPasses } from '#cli/testing/sample-run.ts';

let cwd: string;
let cli: ScriptedContext;
let server: ScriptedServer;

/** The plan that the events of the sample are of. */
const ranPlan: Plan = {
  ...samplePlan,
  baseline: 'off',
  steps: samplePlan.steps.map((step) => ({
    ...step,
    checks: [
      {
        kind: 'command',
        name: 'tests',
        command: 'true',
        needs: 'always',
        timeSeconds: 600,
        expectExit: 0,
        where: 'workspace',
      },
    ],
  })),
};

const people = `
steps:
  work: {agent: codex, prompt: Build it.}
  ready: {person: Ship it?, after: work, loop: {to: work}}
`;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  server = await startScriptedServer();
  cli = scriptedContext({ cwd, environment: { url: server.url } });
  server.on(`GET /v1/runs/${runId}`, json({ ...shown(succeeded), plan: ranPlan }));
  server.on(`GET /v1/runs/${runId}/events`, json({ events: twoPasses, ended: true }));
  await writeFile(join(cwd, 'green.yaml'), 'task: Mend it.\nagent: codex\nchecks: [npm test]\nbaseline: off\n');
  await writeFile(join(cwd, 'people.yaml'), people);
});

afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

test('S-05: a file is simulated without any server, in virtual time, and ends with 0', async () => {
  const { code, out } = await cli.run('simulate', 'green.yaml', '--fail-check', 'npm test@1');
  expect(code).toBe(0);
  expect(server.received).toEqual([]);
  expect(out).toContain('00:05:00  as asked    ✗ work · npm test: made to fail (--fail-check)');
  expect(out).toContain('00:10:00  invented  ■ work pass 2: done, in 5 min 0 s');
  expect(out.slice(out.indexOf(''))).toEqual([
    '',
    '✓ succeeded',
    '  after     10 min 0 s',
    '  passes    work 2',
    '  ↺ work: looped 1 of 4',
    '  time      10 min 0 s of 4 h 0 min of work',
    'Simulated: nothing was run and nothing was spent.',
  ]);
});

test('S-05: a run is simulated from its record, and it is told where it goes otherwise', async () => {
  const { code, out } = await cli.run('simulate', runId, '--passes', '1');
  expect(code).toBe(0);
  expect(out.join('\n')).toMatch(/── from here on it goes otherwise than the run \(its event \d+ of 18\) ──\n.*✗ work/);
  expect(out).toContain('✗ exhausted');
});

test('--json gives each event with where it comes from, then what it came to', async () => {
  const { out } = await cli.run('simulate', 'green.yaml', '--json');
  const lines: unknown[] = out.map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({ origin: 'law', event: { type: 'run.started' } });
  expect(lines.at(-1)).toMatchObject({
    simulated: true,
    end: 'ended',
    stop: { kind: 'succeeded' },
    passes: [{ step: 'work', passes: 1 }],
    loops: [{ step: 'work', fired: 0, limit: 4 }],
  });
});

test('D3: a decision is said for a question; its commands are no matter of a simulation', async () => {
  const { code, out } = await cli.run('simulate', 'people.yaml', '--decide', 'ready=push_back');
  expect(code).toBe(0);
  expect(out.join('\n')).toContain('as asked  person 1 pushed back');
  expect(out.join('\n')).not.toContain('setpoint approve');
  expect(out).toContain('✓ succeeded');
});

test('--edit puts another definition in place, --seed draws durations', async () => {
  const { out } = await cli.run('simulate', 'people.yaml', '--edit', 'green.yaml', '--seed', '3');
  expect(out).toContain('  passes    work 1');
  expect(out).not.toContain('  after     5 min 0 s');
});

test.each([
  [['--fail-check', 'npm test'], 'write NAME@PASS'],
  [['--fail-check', 'other@1'], 'There is no check "other". Name one of: npm test.'],
  [['--fail', 'other@1'], 'Name one of: work'],
  [['--decide', 'work=approve'], 'No step "work" asks a person'],
  [['--decide', 'work=perhaps'], 'write STEP=approve|reject|push_back'],
  [['--time', 'soon'], 'write 90s, 15m'],
  [['--seed', 'x'], 'It must be a whole number.'],
])('%j ends with 2 and says what there is', async (argv, told) => {
  const { code, err } = await cli.run('simulate', 'green.yaml', ...argv);
  expect(code).toBe(2);
  expect(err.join('\n')).toContain(told);
});

test('an answer that the plan does not allow ends with 2, after the timeline', async () => {
  await writeFile(join(cwd, 'people.yaml'), people.replace('loop: {to: work}', 'loop: {to: work, limit: 1}'));
  const twice = ['--decide', 'ready=push_back@1', '--decide', 'ready=push_back@2'];
  const { code, out, err } = await cli.run('simulate', 'people.yaml', ...twice);
  expect(code).toBe(2);
  expect(out.join('\n')).toContain('broken off');
  expect(err.join('\n')).toContain('is refused');
});

test('what finds no end is broken off with 1 and a remedy', async () => {
  const endless = 'steps:\n  ready: {person: Ship it?, loop: {to: ready, limit: 1, onExhausted: ask}}\n';
  await writeFile(join(cwd, 'endless.yaml'), endless);
  const { code, err } = await cli.run('simulate', 'endless.yaml', '--decide', 'ready=reject', '--json');
  expect(code).toBe(1);
  expect(err.join('\n')).toContain('finds no end');
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

import { Examination } from '#core/doctor/finding.ts';
import { runId, shown, succeeded, twoPasses } from '#cli/testing/sample-run.ts';
import { type ScriptedContext, scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, startScriptedServer } from '#cli/testing/scripted-server.ts';

let cwd: string;
let cli: ScriptedContext;

const sound = 'task: Mend it.\nagent: codex\nchecks: [npm test]\nworkspace: { setup: npm ci, protect: ["test/**"] }\n';
const leaky = `# Our loop
task: Mend it.
agent: codex
checks:
  - npm test | tee test.log   # keep the log
  - make lint || true
  - "! grep -rn TODO src"
workspace: { setup: npm ci, protect: ["test/**"] }
`;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-doctor-'));
  cli = scriptedContext({ cwd });
  await writeFile(join(cwd, 'sound.yaml'), sound);
  await writeFile(join(cwd, 'leaky.yaml'), leaky);
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

/** The official schema. It is of draft 4, which differs from ours in nothing that it uses but the name of `$id`. */
async function sarifValidator() {
  const path = new URL('../../test/doctor/sarif/sarif-schema-2.1.0.json', import.meta.url);
  const { id: _id, $schema: _draft, ...schema } = z.looseObject({}).parse(JSON.parse(await readFile(path, 'utf8')));
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

test('E-20, A14: each finding with its place in the file, why and how to close it; it advises, so exit 0', async () => {
  const { code, out } = await cli.run('doctor', 'leaky.yaml');
  expect(code).toBe(0);
  const text = out.join('\n');
  expect(text).toMatch(/^leaky\.yaml:5:5 warning check\/pipe-hides-exit, signal missing, loop of work$/m);
  expect(text).toMatch(/^leaky\.yaml:6:5 warning check\/cannot-fail/m);
  expect(text).toContain('why: A pipeline exits as its last command does');
  expect(text).toContain('`--fix` writes it');
  expect(out.at(-1)).toBe('3 findings (`--fix` can mend 3); 0 of 1 loop closed');
});

test('D-21: the three questions are answered for a loop that is closed, too', async () => {
  const { code, out } = await cli.run('doctor', 'sound.yaml');
  expect(code).toBe(0);
  expect(out).toEqual([
    'Loop of work: closed',
    "  Could the agent change the check's answer? No, as far as the plan tells: what decides is the exit code of `npm test`; a change to test/** fails the pass; the script that it runs stands in package.json, which is not protected.",
    '  What does the next attempt know that this one did not? What was found by the exit code of `npm test`: its output is appended to the prompt of `work`.',
    '  What happens when the attempts run out? After 5 passes or 4h of active time the run fails, with what was found.',
    '',
    'nothing found; 1 of 1 loop closed',
  ]);
});

test('--fix writes what is mechanical, keeps comments, says what it changed, and has nothing to do the second time', async () => {
  const { code, out } = await cli.run('doctor', 'leaky.yaml', '--fix');
  expect(code).toBe(0);
  expect(out.filter((line) => line.includes(' mended '))).toHaveLength(3);
  const mended = await readFile(join(cwd, 'leaky.yaml'), 'utf8');
  expect(mended).toBe(`# Our loop
task: Mend it.
agent: codex
checks:
  - bash -o pipefail -c 'npm test | tee test.log'   # keep the log
  - make lint
  - { run: "grep -rn TODO src", expect: { exit: 1 } }
workspace: { setup: npm ci, protect: ["test/**"] }
`);
  const again = await cli.run('doctor', 'leaky.yaml', '--fix');
  expect(again.out).toContain('Nothing to mend by itself.');
  expect(await readFile(join(cwd, 'leaky.yaml'), 'utf8')).toBe(mended);
});

test('E-20: --trace shows the brief of the second pass, in the words that a run would use', async () => {
  const { code, out } = await cli.run('doctor', 'sound.yaml', '--trace');
  expect(code).toBe(0);
  const text = out.join('\n');
  expect(text).toContain('`work` is asked in pass 2:');
  expect(text).toContain('  | Mend it.');
  expect(text).toContain('  | ### check "npm test" of step "work", in pass 1: fail');
  expect(text).toContain('  | (what `npm test` printed)');
  expect(text).toContain('  | This is pass 2 (at most 5).');
});

test('--format json is one object with findings, answers and the trace that was asked for', async () => {
  const { code, out } = await cli.run('doctor', 'leaky.yaml', '--format', 'json', '--trace');
  expect(code).toBe(0);
  const told = Examination.extend({ about: z.string(), traced: z.array(z.unknown()) }).parse(
    JSON.parse(out.join('\n')),
  );
  expect(told.about).toBe('leaky.yaml');
  expect(told.findings.map(({ rule }) => rule)).toEqual([
    'check/pipe-hides-exit',
    'check/cannot-fail',
    'check/negated',
  ]);
  expect(told.loops.map(({ loop, closed }) => [loop, closed])).toEqual([['work', false]]);
  expect(told.traced).toHaveLength(1);
});

test.each(['leaky.yaml', 'sound.yaml'])('--format sarif of %s is valid SARIF 2.1.0', async (file) => {
  const { code, out } = await cli.run('doctor', file, '--format', 'sarif');
  expect(code).toBe(0);
  const log: unknown = JSON.parse(out.join('\n'));
  const validate = await sarifValidator();
  expect(validate(log) ? [] : validate.errors).toEqual([]);
  expect(log).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: { name: 'setpoint doctor' } } }] });
  if (file === 'leaky.yaml') {
    expect(log).toMatchObject({
      runs: [
        {
          results: [
            {
              ruleId: 'check/pipe-hides-exit',
              locations: [
                { physicalLocation: { artifactLocation: { uri: file }, region: { startLine: 5, startColumn: 5 } } },
              ],
            },
            {},
            {},
          ],
        },
      ],
    });
  }
});

test('E-20: of a run the record is read, too: what each pass took, and what came of its checks', async () => {
  const server = await startScriptedServer();
  try {
    server.on(`GET /v1/runs/${runId}`, json(shown(succeeded)));
    server.on(`GET /v1/runs/${runId}/events`, json({ events: twoPasses, ended: true }));
    const remote = scriptedContext({ cwd, environment: { url: server.url } });
    const { code, out } = await remote.run('doctor', runId);
    expect(code).toBe(0);
    const text = out.join('\n');
    expect(text).toMatch(/^run_01hsample \(at steps\.work\) note run\/cost-per-pass$/m);
    expect(text).toMatch(/^ {2}work pass 1: .*; did not pass: tests$/m);
    expect(text).toMatch(/^Loop of work: /m);
    const { out: log } = await remote.run('doctor', runId, '--format', 'sarif');
    expect(log.join('')).not.toContain('physicalLocation');
  } finally {
    await server.stop();
  }
});

test('an invalid definition ends with 2 and all its issues; a run is not mended', async () => {
  await writeFile(join(cwd, 'bad.yaml'), 'task: Mend it.\nagnet: codex\nchekcs: [npm test]\n');
  const { code, err } = await cli.run('doctor', 'bad.yaml');
  expect(code).toBe(2);
  expect(err.join('\n')).toMatch(/^bad\.yaml:2:1 .*agnet/m);
  const refused = await cli.run('doctor', 'run_1', '--fix');
  expect(refused.code).toBe(2);
  expect(refused.err.join('\n')).toContain('setpoint edit RUN FILE');
});

test('E-20: of a file in another dialect it says how to come to the keys that close a finding', async () => {
  await writeFile(
    join(cwd, 'green.yaml'),
    'prompt: Mend it.\nagent: codex\nchecks: [{ type: test, command: npm test }]\n',
  );
  const { code, out } = await cli.run('doctor', 'green.yaml');
  expect(code).toBe(0);
  expect(out.at(-2)).toContain('native form; what exit-checks has none of: setpoint convert green.yaml');
});

test('D-21, C-08: what follows while the condition is still met is told beside the rest', async () => {
  const recipe = { script: 'npm test', returns: 'true', onPass: 'retry', onFail: 'continue' };
  const steps = [{ prompt: 'Write a test that fails.', endCondition: recipe }];
  await writeFile(join(cwd, 'recipe.json'), JSON.stringify({ steps }));
  const { out } = await cli.run('doctor', 'recipe.json');
  expect(out.join('\n')).toContain('where the condition is still met; else the run fails');
});

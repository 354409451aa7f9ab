import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { RunShown } from '#core/contract/http.ts';
import type { RunEvent } from '#core/run/event.ts';
import type { Start } from '../fakes/model/scenario.ts';
import { type FollowedRun, eventsOf, followRun } from './followed-run.ts';
import { type AgentName, expectations } from './installed.ts';
import { keys } from './sign-in.ts';
import { git, makeRepository, type Stand } from './stand.ts';

/** One thing that every agent is put through. It throws an assertion error that names what does not hold. */
export interface Case {
  name: string;
  /** Absent: all of them. */
  agents?: readonly AgentName[];
  run: (stand: Stand, agent: AgentName) => Promise<unknown>;
}

const source = (expression: string): string =>
  `export const total = (items) => items.reduce((sum, item) => sum + ${expression}, 0);`;

const repository = {
  'total.mjs': `${source('item.price')}\n`,
  'total.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from './total.mjs';

test('the total counts the quantity of each item', () => {
  assert.equal(total([{ price: 2, quantity: 3 }, { price: 5, quantity: 1 }]), 11);
});
`,
};

const edit = (expression: string): string => `printf '%s\\n' '${source(expression)}' > total.mjs`;
const wrongEdit: Start = {
  commands: [edit('item.price - item.quantity')],
  finalText: 'The total counts quantities.',
};
const rightEdit: Start = { commands: [edit('item.price * item.quantity')], finalText: 'It multiplies now.' };

const greenTests = (agent: AgentName, session: 'fresh' | 'resume' = 'fresh'): string => `setpoint: 1
name: Green tests
task: Make every test pass (node --test). Do not edit the tests.
agent: { name: ${agent}, session: ${session} }
checks:
  - { name: tests, run: node --test }
limits: { passes: 3, time: 10m }
workspace: { protect: ["*.test.mjs"] }
`;

const AgentsTold = z.array(
  z.object({ name: z.string(), version: z.string().nullish(), signedIn: z.string(), path: z.string().nullish() }),
);

const found: Case = {
  name: 'is found, signed in',
  async run(stand, agent) {
    const { code, out } = await stand.setpoint(['agents', '--json'], stand.folder);
    assert.equal(code, 0);
    const told = AgentsTold.parse(JSON.parse(out)).find(({ name }) => name === agent);
    assert.equal(told?.signedIn, 'yes');
    assert.match(told.version ?? '', /^\d+\.\d+\.\d+$/);
    assert.equal(told.path, stand.environment[`SETPOINT_AGENT_${agent.toUpperCase()}`]);
  },
};

const mend: Case = {
  name: 'mends in two passes, branch delivered',
  async run(stand, agent) {
    const folder = await makeRepository(stand, `${agent}-mend`, repository);
    const curious: Start = { ...wrongEdit, commands: ['env', ...(wrongEdit.commands ?? [])] };
    stand.model.stage(agent, [curious, rightEdit]);
    const run = await followRun(stand, { folder, definition: greenTests(agent), arguments: ['--deliver', 'branch'] });
    assertStop(run, 'succeeded', 0);
    assert.equal(run.outcome.passes, 2);
    await assertNoKeyShown(stand, run);
    assert.match(secondPrompt(stand, agent), /## Feedback[\s\S]*the total counts the quantity/);
    const judged = eventsOf(run, 'attempt.finished').at(-1)?.result.snapshot?.tree;
    assert.equal(await git(folder, 'rev-parse', `${run.outcome.branch}^{tree}`), judged);
    assert.equal(await git(folder, 'show', `${run.outcome.branch}:total.mjs`), source('item.price * item.quantity'));
    assert.equal(await git(folder, 'diff', '--name-only', 'main', String(run.outcome.branch)), 'total.mjs');
    return run;
  },
};

/** H4: the agent printed its environment, in which its key may be. */
async function assertNoKeyShown(stand: Stand, run: FollowedRun): Promise<void> {
  const { out } = await stand.setpoint(['logs', run.runId], stand.folder);
  assert.ok(out.length > 0, 'the run left no log');
  for (const [name, key] of Object.entries(keys)) assert.ok(!out.includes(key), `the log shows ${name}`);
}

const resume: Case = {
  name: 'resumes its session (E4)',
  async run(stand, agent) {
    const folder = await makeRepository(stand, `${agent}-resume`, repository);
    stand.model.stage(agent, [wrongEdit, rightEdit]);
    const run = await followRun(stand, { folder, definition: greenTests(agent, 'resume') });
    assertStop(run, 'succeeded', 0);
    const [first, second, ...others] = eventsOf(run, 'attempt.finished').map(({ result }) => result);
    assert.deepEqual(others, []);
    assert.ok(first?.session, 'the first pass told no session');
    assert.equal(second?.session, first.session);
    assert.deepEqual([...first.findings, ...second.findings], []);
    // H1: totals of a session that was resumed count once.
    assert.equal(second.spend.inputTokens, first.spend.inputTokens);
    return run;
  },
};

/** C9: what the first pass's check found reached the second. */
function secondPrompt(stand: Stand, agent: AgentName): string {
  return stand.model.requests.filter(({ scenario, start }) => scenario === agent && start === 2)[0]?.prompt ?? '';
}

const review: Case = {
  name: 'reads only (H3)',
  async run(stand, agent) {
    const folder = await makeRepository(stand, `${agent}-review`, repository);
    const intrude =
      'echo "spoilt" > total.mjs; echo "planted" > planted.txt; ' +
      '{ cat total.mjs; ls planted.txt; } > "$HOME/seen.txt" 2>&1';
    stand.model.stage(agent, [{ commands: [intrude], finalText: 'Nothing to change.\n\nVERDICT: APPROVE' }]);
    const definition = `setpoint: 1
name: Review
steps:
  review: { agent: ${agent}, readOnly: true, verdict: approve, prompt: Review the code. }
limits: { time: 5m }
deliver: none
`;
    const run = await followRun(stand, { folder, definition });
    assertStop(run, 'succeeded', 0);
    const seen = join(stand.home, 'agent-homes', run.runId, 'agents', 'review', 'seen.txt');
    // Absent when the agent's own read-only mode ran no command at all; else the mount must have held.
    const sight = existsSync(seen) ? await readFile(seen, 'utf8') : source('item.price');
    assert.ok(sight.includes(source('item.price')), `the reader spoilt its checkout: ${sight}`);
    assert.ok(!/spoilt|^planted\.txt/m.test(sight), `the reader wrote: ${sight}`);
    assert.equal(await git(folder, 'status', '--porcelain'), '?? lane.loop.yaml');
    return run;
  },
};

const missing = { criterion: 'The total counts quantities', evidence: 'total.mjs:1 subtracts the quantity' };
const judged = (blockingFindings: object[]): string =>
  `I read the change.\n\n${JSON.stringify({
    passed: blockingFindings.length === 0,
    summary: blockingFindings.length === 0 ? 'as asked' : 'one finding',
    blockingFindings,
    advisories: ['name the items'],
    evidence: ['total.mjs'],
  })}`;

/** Commands of which its flags refuse the first and allow the second: that one only the mount can hold (H3). */
const intrusions = ['echo spoilt > total.mjs', 'git diff --output=total.mjs HEAD^'];

const reviewed: Case = {
  name: 'reviews the work of codex until nothing blocks (B5)',
  agents: ['claude'],
  async run(stand, agent) {
    const folder = await makeRepository(stand, `${agent}-reviewed`, repository);
    stand.model.stage('codex', [wrongEdit, rightEdit]);
    stand.model.stage(agent, [{ commands: intrusions, finalText: judged([missing]) }, { finalText: judged([]) }]);
    // The reviewer is the first other agent that is signed in.
    const definition = `setpoint: 1
name: Reviewed
task: Make the total count quantities.
agent: codex
checks:
  - { name: parses, run: node --check total.mjs }
  - { name: reviewed, review: { criterion: The total counts quantities. } }
limits: { passes: 3, time: 10m }
`;
    const run = await followRun(stand, { folder, definition, arguments: ['--deliver', 'branch'] });
    assertStop(run, 'succeeded', 0);
    const verdicts = eventsOf(run, 'check.judged').filter(({ check }) => check === 'reviewed');
    assert.deepEqual(
      verdicts.map(({ verdict: { kind, findings } }) => [
        kind,
        findings.filter((found) => !found.startsWith('denied')),
      ]),
      [
        ['fail', ['advisory: name the items']],
        ['pass', ['advisory: name the items']],
      ],
    );
    assert.match(secondPrompt(stand, 'codex'), /## Feedback[\s\S]*total\.mjs:1 subtracts the quantity/);
    assert.match(secondPrompt(stand, agent), /### Pass 1: fail[\s\S]*total\.mjs:1 subtracts the quantity/);
    await assertHeld(stand, run, folder);
    await assertNoKeyShown(stand, run);
    return run;
  },
};

/** H3: the tool calls that write failed, the last one at the mount, and what was judged and delivered is Codex's work alone. */
async function assertHeld(stand: Stand, run: FollowedRun, folder: string): Promise<void> {
  const [first] = eventsOf(run, 'check.judged').filter(({ check }) => check === 'reviewed');
  const log = await stand.text(`/v1/artifacts/${first?.verdict.evidence.log?.sha256}`);
  assert.match(log, /Read-only file system/);
  assert.match(first?.verdict.findings.join('\n') ?? '', /^denied: Bash: echo spoilt/m);
  const trees = eventsOf(run, 'attempt.finished').map(({ result }) => result.snapshot?.tree);
  assert.deepEqual(
    eventsOf(run, 'checks.finished').map(({ tree }) => tree),
    [trees[0], trees[0], trees[1], trees[1]],
  );
  assert.equal(await git(folder, 'rev-parse', `${run.outcome.branch}^{tree}`), trees[1]);
  assert.equal(await git(folder, 'show', `${run.outcome.branch}:total.mjs`), source('item.price * item.quantity'));
}

const refusedKey: Start = {
  failure: {
    kind: 'status',
    status: 401,
    type: 'authentication_error',
    message: 'scripted invalid api key',
    times: Number.POSITIVE_INFINITY,
  },
};

const authentication: Case = {
  name: 'refused key stops once, with the remedy',
  async run(stand, agent) {
    const folder = await makeRepository(stand, `${agent}-authentication`, repository);
    stand.model.stage(agent, [refusedKey]);
    const run = await followRun(stand, { folder, definition: greenTests(agent) });
    assertStop(run, 'provider_error', 5);
    assert.equal(eventsOf(run, 'attempt.started').length, 1);
    const stop = eventsOf(run, 'run.stopped').at(-1)?.stop;
    assert.match(stop?.remedy ?? '', /Sign in on the host .* then retry the run/);
    return run;
  },
};

const resetSeconds = 4;
const closedWindow: Start = {
  failure: {
    kind: 'status',
    status: 429,
    type: 'rate_limit_error',
    message: `scripted rate limit. Please try again in ${resetSeconds}s.`,
    headers: { 'retry-after': String(resetSeconds) },
    times: Number.POSITIVE_INFINITY,
  },
};

const rateLimit: Case = {
  name: 'waits out a rate limit',
  async run(stand, agent) {
    const folder = await makeRepository(stand, `${agent}-rate-limit`, repository);
    const { tellsReset } = expectations[agent];
    stand.model.stage(agent, [closedWindow]);
    const onEvent = async (event: RunEvent, runId: string): Promise<void> => {
      if (event.type !== 'attempt.retried') return;
      assertWaits(await summaryOf(stand, runId));
      if (tellsReset) stand.model.stage(agent, [rightEdit]);
      else await stand.setpoint(['cancel', runId], folder);
    };
    const run = await followRun(stand, { folder, definition: greenTests(agent), onEvent });
    const [wait, ...others] = eventsOf(run, 'attempt.retried');
    assert.equal(wait?.kind, 'quota');
    assert.deepEqual(others, []);
    if (tellsReset) {
      assertStop(run, 'succeeded', 0);
      const seconds = ((wait?.notBefore ?? Infinity) - (wait?.at ?? 0)) / 1000;
      assert.ok(seconds <= resetSeconds, `it waits ${seconds} s for a window that opens in ${resetSeconds} s`);
    } else {
      assertStop(run, 'cancelled', 4);
      assert.match(wait?.reason ?? '', /reset unknown/);
    }
    assert.equal(run.outcome.passes, 1);
    return run;
  },
};

async function summaryOf(stand: Stand, runId: string): Promise<RunShown['summary']> {
  return RunShown.pick({ summary: true }).parse(await stand.get(`/v1/runs/${runId}`)).summary;
}

/** E2: whoever reads the status sees that it waits, and for what. */
function assertWaits({ status, why }: RunShown['summary']): void {
  assert.equal(status, 'waiting');
  assert.match(why ?? '', /the provider's usage window/);
}

function assertStop(run: FollowedRun, stop: string, exitCode: number): void {
  const told = eventsOf(run, 'run.stopped').at(-1)?.stop;
  assert.equal(run.outcome.stop, stop, `${run.runId} stopped as ${told?.kind}: ${told?.reason}`);
  assert.equal(run.exitCode, exitCode);
}

const suggested = (passes: number): Start => ({
  commands: ['echo spoilt > total.mjs'],
  finalText: `I looked.\n\n${JSON.stringify({
    name: 'Quantities',
    checks: [{ kind: 'command', name: 'tests', run: 'node --test', why: 'A total without quantities fails it.' }],
    mode: 'all',
    passes,
    why: 'One line is wrong.',
  })}`,
});

const suggests: Case = {
  name: 'suggests checks, mode and cap, asked twice at most (E-21)',
  async run(stand, agent) {
    const folder = await makeRepository(stand, `${agent}-suggests`, repository);
    stand.model.stage(agent, [suggested(0), suggested(4)]);
    const asked = [
      'init',
      '--suggest',
      'Make the total count quantities.',
      '--agent',
      agent,
      '--file',
      'new.loop.yaml',
    ];
    const { code, err } = await stand.setpoint(asked, folder);
    assert.equal(code, 0, err);
    const written = await readFile(join(folder, 'new.loop.yaml'), 'utf8');
    assert.match(written, new RegExp(`agent: ${agent}\\n[\\s\\S]*run: node --test\\nlimits:\\n {2}passes: 4`));
    assert.match(secondPrompt(stand, agent), /could not be used: passes/);
    assert.equal(await git(folder, 'status', '--porcelain'), '?? new.loop.yaml');
    assert.equal(await readFile(join(folder, 'total.mjs'), 'utf8'), repository['total.mjs']);
    assert.equal((await stand.setpoint(['runs', '--search', 'Quantities', '--json'], folder)).out, '');
  },
};

export const cases: readonly Case[] = [found, mend, resume, review, reviewed, suggests, authentication, rateLimit];

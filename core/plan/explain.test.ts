import { describe, expect, test } from 'vitest';

import type { Definition, StepDefinition } from '#core/definition/definition.ts';
import { compile } from '#core/plan/compile.ts';
import { explainPlan } from '#core/plan/explain.ts';
import { graphOf } from '#core/plan/graph.ts';
import type { Plan } from '#core/plan/plan.ts';

const definition: Definition = {
  name: 'Feature',
  inputs: { issue: { type: 'string', required: true } },
  steps: [
    {
      id: 'implement',
      after: [],
      work: { kind: 'agent', agent: { name: 'codex', fallback: ['claude'] }, prompt: 'Do it:\n\n{{inputs.issue}}' },
      checks: [{ kind: 'command', command: 'npm test', name: 'unit' }],
    },
    {
      id: 'review',
      name: 'A "second" look',
      after: ['implement'],
      work: { kind: 'run', command: './review.sh' },
      match: { pass: 'ok' },
      checks: [],
      loop: { to: 'implement', limit: 2 },
    },
  ],
};

function planOf(): Plan {
  const compiled = compile(definition);
  if (compiled.kind === 'issues') expect(compiled.issues).toEqual([]);
  return compiled.kind === 'plan' ? compiled.plan : expect.fail('no plan');
}

test('a plan is explained in plain words, its defaults among them (C1)', () => {
  expect(explainPlan(planOf())).toBe(`Plan "Feature" (project default)
Input issue: string, required

Steps
1. implement
   codex, else claude, a fresh session each pass, at most 30m an attempt and 15m without progress, is asked:
     Do it:

     {{inputs.issue}}
   passes when every check passes:
     - unit: \`npm test\` exits 0 (at most 10m)
   is retried within its pass on an infrastructure failure, at most 2 times, after 10s, each wait 2 times the one before
2. review ("A "second" look"), after implement
   runs, at most 30m an attempt: ./review.sh
   passes only if its output matches /ok/im
   is retried within its pass on an infrastructure failure, at most 2 times, after 10s, each wait 2 times the one before
   ↺ if it fails, work goes back to implement, at most 2 times, then the step fails

Limits
  Active time: 4h (waits do not count), then it stops
  Spend: no limit
  No progress: stops after 2 repeats of a pass that changed nothing

Workspace
  A worktree of . at HEAD
  Baseline: report

Delivery: the verified tree on the branch setpoint/<run id>
`);
});

test('a plan is drawn with its loops, and no name can break the drawing (V-29)', () => {
  expect(graphOf(planOf())).toBe(`flowchart TD
  n0["implement<br/>codex"]
  n1["A #34;second#34; look ↺<br/>command"]
  n0 --> n1
  n1 -. "on fail, at most 2" .-> n0
`);
});

const steered: Definition = {
  steps: [
    {
      id: 'audit',
      after: [],
      work: { kind: 'call', definition: 'look', inputs: { area: '{{item}}' }, each: { list: '["src","test"]' } },
      checks: [{ kind: 'review', criterion: 'Every area was looked at', consecutive: 2 }],
      retry: { on: 'notVerdict' },
    },
    {
      id: 'agree',
      after: ['audit'],
      work: {
        kind: 'person',
        ask: 'Go on?',
        show: [
          { kind: 'output', step: 'audit' },
          { kind: 'file', path: 'docs/plan.md' },
        ],
        form: { properties: { risk: {}, note: {} }, required: ['risk'] },
        who: ['team:web', 'ada'],
        quorum: 2,
        remindSeconds: 3600,
        escalate: { to: ['team:leads'], afterSeconds: 7200 },
        time: { limitSeconds: 86_400, onExpiry: 'skip' },
      },
      checks: [],
      loop: { to: 'audit' },
    },
    { id: 'ship', after: ['agree'], work: { kind: 'person', ask: 'Ship it?' }, checks: [] },
  ],
  children: {
    look: {
      inputs: { area: { type: 'string', required: true } },
      steps: [{ id: 'x', after: [], work: { kind: 'run', command: 'ls' }, checks: [] }],
    },
  },
  keepBetweenRuns: ['notes/*'],
  callback: { url: 'https://ci.example/hook' },
};

test('people, calls and what is called are explained in plain words', () => {
  const compiled = compile(steered);
  const plan = compiled.kind === 'plan' ? compiled.plan : expect.fail(JSON.stringify(compiled.issues));
  const [steps = '', rest = ''] = explainPlan(plan).split('\n\nLimits');
  expect(steps).toBe(`Plan "untitled" (project default)

Steps
1. audit
   starts a child run of look for each item of ["src","test"], 3 at a time, each at most 4h
   given
     area: {{item}}
   passes when every check passes:
     - an agent of another provider, where there is one, reviews it 2 times in a row: Every area was looked at (at most 10m, asked once those before it passed)
   is retried within its pass on any failure that is no verdict, at most 2 times, after 10s, each wait 2 times the one before
2. agree, after audit
   team:web or ada is asked, 2 of them must approve:
     Go on?
   is shown the output of audit, docs/plan.md
   fills in risk (required), note
   reminded every 1h
   escalated to team:leads after 2h
   waits 1d, else the step is skipped
   ↺ if a person pushes back, work goes back to audit
   ↺ if it is rejected, work goes back to audit, at most 4 times, then the run ends as rejected
3. ship, after agree
   a person is asked:
     Ship it?
   waits until somebody decides
   ↺ if a person pushes back, it is asked again
   a rejection ends the run`);
  expect(rest).toContain('Kept for the next run: notes/*');
  expect(rest).toContain('When it ends it calls https://ci.example/hook');
  expect(explainPlan(plan).split('Called as look:')[1]).toContain('A worktree of . at what the calling run has made');
  expect(graphOf(plan)).toBe(`flowchart TD
  n0["audit<br/>for each, calls look"]
  n1["agree ↺<br/>team:web, ada"]
  n2["ship<br/>a person"]
  n0 --> n1
  n1 --> n2
  n1 -. "rejected, at most 4" .-> n0
`);
});

test('A8, D-14: what lets a run go on, what is skipped along, and handlers are explained and drawn', () => {
  const run = (id: string): Definition['steps'][number] => ({
    id,
    after: [],
    work: { kind: 'run', command: `./${id}.sh` },
    checks: [],
  });
  const compiled = compile({
    steps: [
      {
        ...run('try'),
        continueOn: { exitCodes: [3], matches: ['no tests'], markSuccess: true },
        skipsDependents: true,
      },
    ],
    handlers: { failure: run('tell'), exit: run('clean') },
  });
  const plan = compiled.kind === 'plan' ? compiled.plan : expect.fail(JSON.stringify(compiled.issues));
  const lines = explainPlan(plan).split('\n');
  expect(lines).toContain(
    '   if it fails with exit 3, or it fails and its output matches /no tests/im, the run goes on, and it counts as succeeded',
  );
  expect(lines).toContain('   if it is skipped, so is what comes after it');
  const at = lines.indexOf('Handlers');
  expect(lines.slice(at + 1, at + 3)).toEqual([
    'after a failure: on-failure',
    '   runs, at most 30m an attempt: ./tell.sh',
  ]);
  expect(lines).toContain('at the end, however the run ended: on-exit');
  expect(graphOf(plan)).toBe(`flowchart TD
  n0["try<br/>command"]
  subgraph handlers
    h0["on-failure<br/>command"]
    h1["on-exit<br/>command"]
  end
`);
});

describe('what a judged condition leads to, in words', () => {
  const condition = { command: 'npm test', compare: 'auto', returns: 'true', timeSeconds: 60 } as const;
  const wayBack = (loop: NonNullable<StepDefinition['loop']>, when?: StepDefinition['when']): string[] => {
    const tried = { id: 'try', work: { kind: 'run', command: './try.sh' } } as const;
    const compiled = compile({
      steps: [{ ...tried, after: [], checks: [], loop, ...(when === undefined ? {} : { when }) }],
    });
    const plan = compiled.kind === 'plan' ? compiled.plan : expect.fail(JSON.stringify(compiled.issues));
    return explainPlan(plan)
      .split('\n')
      .filter((line) => /↺|only when/.test(line));
  };

  test('C-04, C-08: each side says what follows, and so does the end of the budget', () => {
    const repeat = { mode: 'until', condition, met: 'again', unmet: 'continue' } as const;
    const limits = { on: 'pass', limit: 3, onExhausted: 'fail', onExhaustedMet: 'succeed' } as const;
    expect(wayBack({ repeat, ...limits })).toEqual([
      '   ↺ if it passes, it is judged whether `npm test` gives "true": if so, it runs again; if not, the step ends. At most 3 times (4 passes), then the step counts as passed if it is still so, else the step fails',
    ]);
    const stops = { mode: 'until', condition, unmet: 'stop' } as const;
    expect(wayBack({ repeat: stops, on: 'pass', limit: 1 })[0]).toContain(
      'if so, the step ends; if not, the run stops',
    );
  });

  test('D-04: a limit that does not judge says that the last attempt does', () => {
    const [line] = wayBack({ repeat: { mode: 'until', exitCodes: [0] }, limit: 2, limitJudges: false });
    expect(line).toBe(
      '   ↺ after each pass, it runs again until it exits 0, at most 2 times (3 passes), then the step ends as its last attempt did',
    );
  });

  test('D-16: conditions before a step are told with what turns them round', () => {
    const clean = { ...condition, command: 'git status', compare: 'stdout', returns: '^$', by: 'pattern' } as const;
    const when = { condition: { ...condition, negate: true }, and: [clean] };
    expect(wayBack({ limit: 1 }, when)[0]).toBe(
      '   only when `npm test` does not give "true", and `git status` gives what matches /^$/ on stdout; else it is skipped',
    );
  });
});

test('D-01, D-07: where a step starts, what becomes of its output and what is beside the workspace is told', () => {
  const output = { of: 'stdout', artifact: 'out.txt', errorsArtifact: 'err.txt' } as const;
  const tried = { id: 'try', work: { kind: 'run', command: './try.sh' } } as const;
  const compiled = compile({
    steps: [{ ...tried, after: [], checks: [], directory: 'web', output, outputs: { score: 'a.b' } }],
    workspace: { envFiles: ['.env'], afterwards: 'remove' },
    artifacts: true,
  });
  const plan = compiled.kind === 'plan' ? compiled.plan : expect.fail(JSON.stringify(compiled.issues));
  const text = explainPlan(plan);
  for (const line of [
    'Beside it a folder of artifacts, never delivered',
    'Variables from: .env',
    'Removed once the run has ended, unless work in it is saved nowhere else',
    'starts in web',
    'its output is standard output alone',
    'its output is written to out.txt, its errors to err.txt, in the folder of artifacts',
    'its output score is a.b of the JSON that it gives',
  ]) {
    expect(text).toContain(line);
  }
});

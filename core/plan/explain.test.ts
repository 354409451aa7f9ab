import { expect, test } from 'vitest';

import type { Definition } from '#core/definition/definition.ts';
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
      work: { kind: 'agent', agent: { name: 'codex', fallback: ['claude'] }, prompt: 'Do it:\n{{inputs.issue}}' },
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
   codex, else claude, a fresh session each pass, at most 30m an attempt, is asked:
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

import type { StoredEvent } from '#core/run/event.ts';
import { Plan } from '#core/plan/plan.ts';

/** A plan of one step with one check, for tests that need a run and do not care what it does. */
export function samplePlan(changes: Partial<Plan> = {}): Plan {
  return Plan.parse({
    semantics: 1,
    name: 'Green tests',
    project: 'default',
    labels: [],
    inputs: {},
    steps: [
      {
        id: 'work',
        name: 'work',
        after: [],
        work: { kind: 'run', command: 'true' },
        readOnly: false,
        checks: [
          {
            kind: 'command',
            name: 'tests',
            command: 'npm test',
            expectExit: 0,
            where: 'workspace',
            needs: 'always',
            timeSeconds: 600,
          },
        ],
        mode: 'all',
        retry: { on: 'infrastructure', limit: 2, everySeconds: 10, backoff: 2 },
        timeSeconds: 1800,
        continueOnError: false,
        env: {},
        secrets: [],
      },
    ],
    limits: { noProgress: 2, onTime: 'fail', onSpend: 'pause' },
    workspace: { repo: '.', worktree: true, protect: [], keep: [], lane: 'run' },
    baseline: 'off',
    deliver: { mode: 'none' },
    ...changes,
  });
}

/** Steps begun one after another: `count` events that any run can have, from `from` on. */
export function sampleEvents(from: number, count: number): StoredEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    seq: from + index,
    event: {
      type: 'attempt.started',
      at: 1_750_000_000_000 + from + index,
      step: 'work',
      pass: from + index,
      attempt: 1,
    },
  }));
}

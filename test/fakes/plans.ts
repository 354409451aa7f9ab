import type { CheckPlan } from '#core/check/check-plan.ts';
import type { LoopPlan, PersonPlan, Plan, StepPlan } from '#core/plan/plan.ts';

/** Plans for tests: each field has the native default, and what a test cares about is given. */

export function commandCheck(name: string, change: Partial<Extract<CheckPlan, { kind: 'command' }>> = {}): CheckPlan {
  return {
    kind: 'command',
    name,
    command: 'true',
    needs: 'always',
    timeSeconds: 600,
    expectExit: 0,
    where: 'workspace',
    ...change,
  };
}

export function loopTo(to: string, change: Partial<LoopPlan> = {}): LoopPlan {
  return {
    to,
    on: 'fail',
    limit: 4,
    wait: { everySeconds: 0, backoff: 1 },
    onExhausted: 'fail',
    inFlight: 'cancel',
    ...change,
  };
}

export function step(id: string, change: Partial<StepPlan> = {}): StepPlan {
  return {
    id,
    name: id,
    after: [],
    work: { kind: 'run', command: 'true' },
    readOnly: false,
    checks: [],
    mode: 'all',
    retry: { on: 'infrastructure', limit: 2, everySeconds: 10, backoff: 2 },
    timeSeconds: 1800,
    continueOnError: false,
    env: {},
    secrets: [],
    ...change,
  };
}

export function scriptedAgent(passes: string[], prompt = 'Do it.'): StepPlan['work'] {
  return {
    kind: 'agent',
    prompt,
    agent: { name: 'scripted', session: 'fresh', fallback: [], scripted: { passes } },
  };
}

export function personWork(change: Partial<PersonPlan> = {}): PersonPlan {
  return {
    kind: 'person',
    ask: 'Shall it go on?',
    show: [],
    who: [],
    quorum: 1,
    notAuthor: false,
    pushBackLimit: null,
    ...change,
  };
}

export function plan(steps: StepPlan[], change: Partial<Plan> = {}): Plan {
  return {
    semantics: 1,
    name: 'test',
    project: 'default',
    labels: [],
    inputs: {},
    steps,
    limits: { noProgress: 2, onTime: 'fail', onSpend: 'pause' },
    workspace: { repo: '.', worktree: true, protect: [], keep: [], lane: 'run' },
    baseline: 'off',
    deliver: { mode: 'none' },
    ...change,
  };
}

import { CancellationScope, proxyActivities, workflowInfo } from '@temporalio/workflow';

import type { ControlActivities, HostActivities, PlacementActivities } from '#core/contract/activities.ts';
import type { policy } from '#core/contract/policy.ts';
import { placementQueue } from '#core/contract/queue.ts';
import { unreachable } from '#core/exhaustive.ts';
import { type Work, workName } from '#core/run/command.ts';
import { begun, faulted, type Outcome, settled } from '#core/run/settle.ts';
import {
  attemptInput,
  baselineInput,
  deliverInput,
  evaluateInput,
  judgeInput,
  type RunFacts,
} from '#core/run/work-input.ts';
import { activityOptions } from '#workflows/activity-options.ts';
import { faultOf } from '#workflows/fault.ts';
import type { Log } from '#workflows/log.ts';

export interface InFlight {
  start(work: Work): void;
  cancel(name: string): void;
}

/** Work under way in the world, one piece a name. Whatever settles emits its events; the law decides what they mean. */
export function createInFlight(facts: RunFacts, log: Log): InFlight {
  const scopes = new Map<string, CancellationScope>();

  async function carry(work: Work, call: () => Promise<Outcome>): Promise<void> {
    const name = workName(work);
    const scope = new CancellationScope();
    scopes.set(name, scope);
    try {
      const outcome = await scope.run(call);
      scopes.delete(name);
      for (const event of settled(log.state(), work, outcome, Date.now())) log.emit(event);
    } catch (error) {
      scopes.delete(name);
      for (const event of faulted(log.state(), work, faultOf(error), Date.now())) log.emit(event);
    }
  }

  return {
    start(work) {
      // The input is taken first: `begun` changes what the work starts from.
      const call = callOf(facts, log, work);
      log.emit(begun(work, Date.now()));
      // oxlint-disable-next-line typescript/no-floating-promises -- it never rejects but for a bug, which must fail the task
      carry(work, call);
    },
    cancel: (name) => scopes.get(name)?.cancel(),
  };
}

function callOf(facts: RunFacts, log: Log, work: Work): () => Promise<Outcome> {
  const state = log.state();
  const queue = state.workspace.queue ?? placementQueue;
  switch (work.do) {
    case 'openWorkspace': {
      const input = { runId: state.runId, workspace: facts.plan.workspace };
      return async () => ({ of: 'openWorkspace', value: await placement().openWorkspace(input) });
    }
    case 'baseline': {
      const input = baselineInput(facts, state);
      return async () => ({ of: 'baseline', value: await onHost('judge', queue).judge(input) });
    }
    case 'evaluate': {
      const input = evaluateInput(facts, state, work);
      return async () => ({ of: 'evaluate', value: await onHost('evaluate', queue).evaluate(input) });
    }
    case 'attempt': {
      const input = attemptInput(facts, state, work);
      return async () => ({ of: 'attempt', value: await onHost('attempt', queue).attempt(input) });
    }
    case 'recover': {
      const key = { runId: state.runId, step: work.step, pass: work.pass, attempt: work.attempt };
      return async () => ({ of: 'recover', value: await control().recoverAttempt(key) });
    }
    case 'judge': {
      const input = judgeInput(facts, state, work);
      return async () => ({ of: 'judge', value: await onHost('judge', queue).judge(input) });
    }
    case 'deliver': {
      const input = deliverInput(facts, state);
      return async () => ({ of: 'deliver', value: await onHost('deliver', queue).deliver(input) });
    }
    default:
      return unreachable(work);
  }
}

function onHost(name: keyof typeof policy & keyof HostActivities, queue: string) {
  return proxyActivities<HostActivities>(activityOptions(name, queue));
}

function placement() {
  return proxyActivities<PlacementActivities>(activityOptions('openWorkspace', placementQueue));
}

/**
 * Not a local activity: two of those side by side may settle in one order while they run and in another when the history
 * is replayed, and the recorder's is always there.
 */
function control() {
  const options = activityOptions('recoverAttempt', workflowInfo().taskQueue);
  return proxyActivities<Pick<ControlActivities, 'recoverAttempt'>>(options);
}

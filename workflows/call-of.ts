import { proxyActivities, workflowInfo } from '@temporalio/workflow';

import type { ControlActivities, HostActivities, PlacementActivities } from '#core/contract/activities.ts';
import { placementQueue } from '#core/contract/queue.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Work } from '#core/run/command.ts';
import {
  collectInput,
  expandInput,
  keepFilesInput,
  openTaskInput,
  openWorkspaceInput,
  reviewInput,
  startChildInput,
} from '#core/run/people-input.ts';
import type { Outcome } from '#core/run/settle.ts';
import type { RunState } from '#core/run/state.ts';
import { attemptInput, baselineInput, deliverInput, evaluateInput, judgeInput } from '#core/run/work-input.ts';
import type { RunFacts } from '#core/run/work-scope.ts';
import { activityOptions } from '#workflows/activity-options.ts';

/** The call of the activity that carries a piece of work out; its input is taken now. */
export function callOf(facts: RunFacts, state: RunState, work: Work): () => Promise<Outcome> {
  if (isPeopleWork(work)) return peopleCall(facts, state, work);
  const { onHost, control } = callersOf(facts, state);
  switch (work.do) {
    case 'openWorkspace': {
      const input = openWorkspaceInput(facts, state);
      return async () => ({ of: 'openWorkspace', value: await onHost('openWorkspace').openWorkspace(input) });
    }
    case 'baseline': {
      const input = baselineInput(facts, state);
      return async () => ({ of: 'baseline', value: await onHost('judge').judge(input) });
    }
    case 'evaluate': {
      const input = evaluateInput(facts, state, work);
      return async () => ({ of: 'evaluate', value: await onHost('evaluate').evaluate(input) });
    }
    case 'attempt': {
      const input = attemptInput(facts, state, work);
      return async () => ({ of: 'attempt', value: await onHost('attempt').attempt(input) });
    }
    case 'recover': {
      const key = { runId: state.runId, step: work.step, pass: work.pass, attempt: work.attempt };
      return async () => ({ of: 'recover', value: await control('recoverAttempt').recoverAttempt(key) });
    }
    case 'judge': {
      const input = judgeInput(facts, state, work);
      return async () => ({ of: 'judge', value: await onHost('judge').judge(input) });
    }
    case 'deliver': {
      const input = deliverInput(facts, state);
      return async () => ({ of: 'deliver', value: await onHost('deliver').deliver(input) });
    }
    default:
      return unreachable(work);
  }
}

const peopleWork = ['review', 'openTask', 'expand', 'startChild', 'collect', 'cancelChild', 'keepFiles'] as const;
type PeopleWork = Extract<Work, { do: (typeof peopleWork)[number] }>;

function isPeopleWork(work: Work): work is PeopleWork {
  return peopleWork.some((kind) => kind === work.do);
}

/** Reviews, questions and child runs. */
function peopleCall(facts: RunFacts, state: RunState, work: PeopleWork): () => Promise<Outcome> {
  const { onHost, control } = callersOf(facts, state);
  switch (work.do) {
    case 'review': {
      const input = reviewInput(facts, state, work);
      return async () => ({ of: 'review', value: await onHost('review').review(input) });
    }
    case 'openTask': {
      const input = openTaskInput(facts, state, work);
      return async () => ({ of: 'openTask', value: await onHost('openTask').openTask(input) });
    }
    case 'expand': {
      const input = expandInput(facts, state, work);
      return async () => ({ of: 'expand', value: await control('expand').expand(input) });
    }
    case 'startChild': {
      const input = startChildInput(facts, state, work);
      return async () => ({ of: 'startChild', value: await control('startChild').startChild(input) });
    }
    case 'collect': {
      const input = collectInput(facts, state, work);
      return async () => ({ of: 'collect', value: await control('collect').collect(input) });
    }
    case 'cancelChild': {
      const input = { parentId: state.runId, runId: work.runId };
      return async () => {
        await control('cancelChild').cancelChild(input);
        return { of: 'cancelChild', value: null };
      };
    }
    case 'keepFiles': {
      const input = keepFilesInput(facts, state);
      return async () => ({ of: 'keepFiles', value: await onHost('keepFiles').keepFiles(input) });
    }
    default:
      return unreachable(work);
  }
}

type OnHost = HostActivities & PlacementActivities;
type Control = Omit<ControlActivities, 'recordEvents'>;

/** How the activities of a run are called: on the host that has its workspace; any host may open one. */
function callersOf(facts: RunFacts, state: RunState) {
  // A child begins where its parent works: the snapshot that it works from is there.
  const queue = state.workspace.queue ?? state.parent?.queue ?? placementQueue;
  return {
    onHost: (name: keyof OnHost) => proxyActivities<OnHost>(activityOptions(name, queue, facts)),
    /**
     * Not a local activity: two of those side by side may settle in one order while they run and in another when the
     * history is replayed, and the recorder's is always there.
     */
    control: (name: keyof Control) => proxyActivities<Control>(activityOptions(name, workflowInfo().taskQueue, facts)),
  };
}

import type { ControlActivities, Recorded, RecordInput, Recovered } from '#core/contract/activities.ts';
import { Fault } from '#core/contract/fault.ts';
import type { WorkKey } from '#core/contract/work-key.ts';
import type { AttemptStore } from '#infra/postgres/attempt-store.ts';
import { sendRunMessage } from '#infra/temporal/run-messages.ts';
import { tellParent } from '#core/run/tell-parent.ts';
import type { CallDeps } from '#activities/calls/call-deps.ts';
import { cancelChildOf } from '#infra/temporal/cancel-child.ts';
import { collect } from '#activities/calls/collect.ts';
import { expand } from '#activities/calls/expand.ts';
import { startChild } from '#activities/calls/start-child.ts';
import { toFailure } from '#activities/failure.ts';
import type { Logger } from '#infra/log.ts';

export interface ControlDeps extends CallDeps {
  attempts: Pick<AttemptStore, 'find'>;
  log: Logger;
}

/** How long recording may hold up a workflow task; a database that is slower is asked again later. */
const recordMs = 500;

/** The light work of the control worker, safe to run twice. Only recording is a local activity (see `workflows/in-flight.ts`). */
export function createControlActivities(deps: ControlDeps): ControlActivities {
  return {
    recordEvents: (input) => record(deps, input),
    recoverAttempt: (key) => recover(deps.attempts, key),
    expand: (input) => orFailure(expand(deps, input)),
    startChild: (input) => orFailure(startChild(deps, input)),
    collect: (input) => orFailure(collect(deps, input)),
    cancelChild: (input) => orFailure(cancelChildOf(deps.messaging, input)),
  };
}

async function orFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toFailure(error);
  }
}

/** Never fails the workflow: a database that is away answers `later`, and what lands late lands once. */
async function record(deps: ControlDeps, input: RecordInput): Promise<Recorded> {
  const appended = deps.messaging.runs.appendEvents(input).catch((error: unknown): Recorded => {
    if (error instanceof Fault && error.code === 'store/unavailable') return 'later';
    throw error;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Recorded>((done) => {
    timer = setTimeout(() => done('later'), recordMs);
  });
  try {
    const recorded = await Promise.race([appended, late]);
    if (recorded === 'recorded') hurryToParent(deps, input);
    return recorded;
  } finally {
    clearTimeout(timer);
  }
}

/** The message is stored with the end that it tells: the sweeper would send it, too, only later. Nothing waits for it here. */
function hurryToParent({ messaging, log }: ControlDeps, input: RecordInput): void {
  for (const { to, message } of tellParent(input)) {
    sendRunMessage(messaging, to, message).catch((error: unknown) => {
      log.warn(
        { err: error, runId: to, child: input.runId },
        'the end of a child run is told to its parent by the next sweep',
      );
    });
  }
}

/** What an interrupted attempt left in the store (decision 4). */
async function recover(attempts: ControlDeps['attempts'], key: WorkKey): Promise<Recovered> {
  try {
    const stored = await attempts.find(key);
    if (stored?.result != null) return { kind: 'finished', result: stored.result };
    if (stored?.stage === 'ran') return { kind: 'resumable' };
    return { kind: 'lost', spend: stored?.spend ?? { estimated: false, inputTokens: 0, outputTokens: 0 } };
  } catch (error) {
    throw toFailure(error);
  }
}

import { randomBytes } from 'node:crypto';
import {
  type WorkflowHandleWithFirstExecutionRunId,
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, type Workflow } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { cleanupId, cleanupWorkflowType } from '#core/contract/cleanup-name.ts';
import { placementQueue } from '#core/contract/queue.ts';
import type { MessageAnswer, RunMessage, SeatInput } from '#core/contract/seat.ts';
import { messageUpdate, runWorkflowType, seatId } from '#core/contract/seat-name.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { RunEvent, StoredEvent } from '#core/run/event.ts';
import type { StopKind } from '#core/run/stop.ts';
import type { RunSummary } from '#core/run/summary.ts';
import { probeTemporal } from '#infra/stack/temporal-probe.ts';
import { historiesOf, startedWith } from './histories.ts';
import { type Script, scriptedActivities, World } from './world.ts';

/** What a test does to a run while it goes on. */
export interface Live {
  world: World;
  handle: WorkflowHandleWithFirstExecutionRunId;
  /** A message as the API sends it: the refusal of the validator is an answer. */
  send: (message: RunMessage) => Promise<MessageAnswer>;
}

export interface Scenario {
  plan: Plan;
  script?: Script;
  seat?: Partial<SeatInput>;
  /** The record before this seat. */
  past?: StoredEvent[];
  drive?: (live: Live) => Promise<void>;
  /** Starts the workflow together with this message, so that both come with its first task. */
  startWith?: RunMessage;
}

export interface Played {
  plan: Plan;
  runId: string;
  /** The whole record: the past, then what this seat recorded, in the order in which it arrived. */
  stored: StoredEvent[];
  events: RunEvent[];
  types: string[];
  summaries: RunSummary[];
  /** How the workflow ended: its stop, or the code of the failure that ended it. */
  ended: { as: 'completed'; stop: StopKind } | { as: 'failed'; code: string };
  histories: History[];
  /** What every seat's workflow began with, one for each history. */
  seats: SeatInput[];
  world: World;
}

/** One path through the workflow's code; a scenario may go on from what another one left. */
export type Recording = (play: (scenario: Scenario) => Promise<Played>) => Promise<Played>;

export interface Stage {
  play(scenario: Scenario): Promise<Played>;
  /** A clean-up, by a host that says that the run has not ended. */
  cleanUp(): Promise<{ histories: History[] }>;
  close(): Promise<void>;
}

export interface StageOptions {
  address: string;
  bundle: WorkflowBundleOption;
  /** 0: every workflow task replays the whole history, as after the crash of a worker. Default: the SDK's own. */
  maxCachedWorkflows?: number;
}

/** A namespace of its own on a real server, and workers whose activities are scripted for each run. */
export async function openStage({ address, bundle, maxCachedWorkflows }: StageOptions): Promise<Stage> {
  quietRuntime();
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  const connection = await Connection.connect({ address });
  await makeNamespace(connection, { address, namespace });
  const native = await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } });
  const worlds = new Map<string, World>();
  const activities = scriptedActivities((runId) => {
    const world = worlds.get(runId);
    if (world === undefined) throw ApplicationFailure.nonRetryable(`no world for ${runId}`);
    return world;
  });
  const common = { connection: native, namespace, identity, maxHeartbeatThrottleInterval: '50ms' };
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: controlQueue,
      workflowBundle: bundle,
      activities: { ...activities.control },
      ...(maxCachedWorkflows === undefined ? {} : { maxCachedWorkflows }),
    }),
    Worker.create({ ...common, taskQueue: placementQueue, activities: { ...activities.placement } }),
    Worker.create({ ...common, taskQueue: hostQueue, activities: { ...activities.host } }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  const client = new Client({ connection, namespace, identity });
  return {
    play: (scenario) => play(client, worlds, scenario),
    cleanUp: () => cleanUp(client, worlds),
    close: async () => {
      for (const worker of workers) worker.shutdown();
      await running;
      await native.close();
      await connection.close();
    },
  };
}

const controlQueue = 'control';
const hostQueue = 'host';
/** Instead of process and machine, which recorded histories must not name. */
const identity = 'test';
let isQuiet = false;

function quietRuntime(): void {
  if (isQuiet) return;
  isQuiet = true;
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
}

async function makeNamespace(connection: Connection, stage: { address: string; namespace: string }): Promise<void> {
  await connection.workflowService.registerNamespace({
    namespace: stage.namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  while (!(await probeTemporal(stage.address, stage.namespace))) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function play(client: Client, worlds: Map<string, World>, scenario: Scenario): Promise<Played> {
  const runId = scenario.seat?.runId ?? `run-${randomBytes(6).toString('hex')}`;
  const world = new World(scenario.script ?? {}, hostQueue);
  worlds.set(runId, world);
  const seat: SeatInput = { runId, seat: 1, plan: scenario.plan, inputs: {}, ...scenario.seat };
  const handle = await start(client, seat, scenario.startWith);
  await scenario.drive?.({ world, handle, send: (message) => send(handle, message) });
  const ended = await endOf(handle);
  const histories = await historiesOf(client.workflow, handle.workflowId, handle.firstExecutionRunId);
  const stored = [...(scenario.past ?? []), ...world.recorded];
  const events = stored.map(({ event }) => event);
  return {
    plan: scenario.plan,
    runId,
    stored,
    events,
    types: events.map(({ type }) => type),
    summaries: world.summaries,
    ended,
    histories,
    seats: histories.map(startedWith),
    world,
  };
}

async function cleanUp(client: Client, worlds: Map<string, World>): Promise<{ histories: History[] }> {
  const request = { runId: `run-${randomBytes(6).toString('hex')}`, snapshots: true, dryRun: false };
  worlds.set(request.runId, new World({}, hostQueue));
  const handle = await client.workflow.start(cleanupWorkflowType, {
    workflowId: cleanupId(request),
    taskQueue: controlQueue,
    args: [{ queue: hostQueue, request }],
  });
  await handle.result();
  return { histories: await historiesOf(client.workflow, handle.workflowId, handle.firstExecutionRunId) };
}

async function start(client: Client, seat: SeatInput, message: RunMessage | undefined): Promise<Live['handle']> {
  const options = { workflowId: seatId(seat.runId, seat.seat), taskQueue: controlQueue, args: [seat] };
  if (message === undefined) return client.workflow.start(runWorkflowType, options);
  const startWorkflowOperation = new WithStartWorkflowOperation(runWorkflowType, {
    ...options,
    workflowIdConflictPolicy: 'FAIL',
  });
  const updating = client.workflow.executeUpdateWithStart<Workflow, MessageAnswer, [RunMessage]>(messageUpdate, {
    args: [message],
    startWorkflowOperation,
  });
  await updating;
  const { workflowId } = await startWorkflowOperation.workflowHandle();
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  return {
    ...client.workflow.getHandle(workflowId, runId, { firstExecutionRunId: runId }),
    firstExecutionRunId: runId,
  };
}

async function send(handle: Live['handle'], message: RunMessage): Promise<MessageAnswer> {
  try {
    return await handle.executeUpdate<MessageAnswer, [RunMessage]>(messageUpdate, { args: [message] });
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError) || !(error.cause instanceof ApplicationFailure)) throw error;
    return { kind: 'refused', code: error.cause.type ?? '', message: error.cause.message };
  }
}

async function endOf(handle: Live['handle']): Promise<Played['ended']> {
  try {
    return { as: 'completed', stop: (await handle.result()) as StopKind };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) throw error;
    return { as: 'failed', code: error.cause.type ?? '' };
  }
}

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { hostQueue, placementQueue } from '#core/contract/queue.ts';
import { resolveInputs } from '#core/plan/inputs.ts';
import type { RunEvent } from '#core/run/event.ts';
import { createControlActivities } from '#activities/control.ts';
import { createHostActivities, createPlacementActivities } from '#activities/index.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { compileText } from '#dialects/parse.ts';
import { createLogger } from '#infra/log.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { createMessageStore } from '#infra/postgres/message-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore, type RunRow } from '#infra/postgres/run-store.ts';
import { probeTemporal } from '#infra/stack/temporal-probe.ts';
import { connectEngine } from '#infra/temporal/client.ts';
import { firstSeat } from '#infra/temporal/reseat.ts';
import type { Messaging } from '#infra/temporal/run-messages.ts';
import { dataConverter } from '#infra/temporal/packing-codec.ts';
import { until } from '../faults/until.ts';
import { withHost } from './with-host.ts';
import { withPostgres } from './with-postgres.ts';
import { withTemporal } from './with-temporal.ts';

/**
 * A control worker and a host in this process, over a real database and a real engine: whole runs, without a sandbox. The agent
 * `claude` says what the real one once said, and costs 0.01016 USD.
 */
export interface TestRuns {
  messaging: Messaging;
  database: Database;
  host: HostDeps;
  /** A repository with one commit, which `repo: .` means. */
  repo: string;
  /** A folder whose path stands for `$PLACE` in definitions: scripts of runs meet the test there. */
  place: string;
  /** Starts a run of a native definition; its id. */
  start(source: string, inputs?: Record<string, string>): Promise<string>;
  find(runId: string): Promise<RunRow>;
  events(runId: string): Promise<RunEvent[]>;
  childrenOf(runId: string): Promise<RunRow[]>;
  /** Until something is to be seen in the run's record. */
  seen<T>(runId: string, what: string, look: (events: RunEvent[]) => T | undefined): Promise<T>;
  ended(runId: string): Promise<RunRow>;
  /** Ends a workflow from outside, as an engine that lost its data would. */
  terminate(workflowId: string): Promise<void>;
  /** The text of the last result of a step. */
  outputOf(runId: string, step: string): Promise<string>;
  close(): Promise<void>;
}

/** `change` may stand between the control worker and what it uses. */
export async function withRuns(
  bundle: WorkflowBundleOption,
  change: (messaging: Messaging) => Messaging = (messaging) => messaging,
): Promise<TestRuns> {
  const [server, temporal] = await Promise.all([withPostgres(), withTemporal()]);
  await migrate(server.url);
  const database = openDatabase(server.url);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'setpoint-runs-')));
  const place = join(folder, 'place');
  mkdirSync(place);
  const repo = makeRepository(join(folder, 'repo'));
  const claude = join(place, 'claude');
  const said = new URL('../../activities/agents/fixtures/claude-ok.out', import.meta.url);
  writeFileSync(claude, `#!/bin/sh\ncat > /dev/null\ncat '${fileURLToPath(said)}'\n`, { mode: 0o755 });
  const plain = withHost({ folder, database, hostId: 'one' });
  const host = { ...plain, environment: { ...plain.environment, SETPOINT_AGENT_CLAUDE: claude } };
  const namespace = await makeNamespace(temporal.address);
  const engine = connectEngine({ address: temporal.address, namespace, queue });
  const messaging: Messaging = { runs: createRunStore(database), messages: createMessageStore(database), engine };
  const stop = await work({ address: temporal.address, namespace, bundle, host, messaging: change(messaging) });
  const events = async (runId: string) => (await messaging.runs.eventsAfter(runId, 0)).map(({ event }) => event);
  const find = async (runId: string) => {
    const run = await messaging.runs.find(runId);
    if (run === undefined) throw new TypeError(`there is no run ${runId}`);
    return run;
  };
  return {
    messaging,
    database,
    host,
    repo,
    place,
    async start(source, inputs = {}) {
      const compiled = compileText({ text: source.replaceAll('$PLACE', place), overrides: { repo } });
      if (compiled.kind === 'issues') throw new TypeError(compiled.issues.map(({ message }) => message).join('; '));
      const resolved = resolveInputs(compiled.plan, inputs);
      if (resolved.kind === 'issues') throw new TypeError(resolved.issues.map(({ message }) => message).join('; '));
      const runId = `run_${randomBytes(6).toString('hex')}`;
      const given = { plan: compiled.plan, inputs: resolved.inputs, createdBy: 'ada' };
      const started = await messaging.runs.start({ runId, bodySha256: runId, ...given });
      if (started.kind === 'conflict') throw new TypeError(`${runId} was there`);
      await engine.startSeat(firstSeat(started.run));
      return runId;
    },
    find,
    events,
    async childrenOf(runId) {
      const listed = await messaging.runs.list({ filter: { parent: runId }, limit: 1_000 });
      return Promise.all(listed.toReversed().map((child) => find(child.runId)));
    },
    seen: (runId, what, look) => until(`${runId}: ${what}`, async () => look(await events(runId)), 30_000),
    ended: (runId) =>
      until(`${runId} has ended`, async () => {
        const run = await find(runId);
        return run.summary.status === 'ended' ? run : undefined;
      }),
    async terminate(workflowId) {
      const connection = await Connection.connect({ address: temporal.address });
      await new Client({ connection, namespace }).workflow.getHandle(workflowId).terminate('a test');
      await connection.close();
    },
    async outputOf(runId, step) {
      const found = (await events(runId)).findLast((event) => event.type === 'attempt.finished' && event.step === step);
      if (found?.type !== 'attempt.finished') throw new TypeError(`step ${step} has no result`);
      return host.artifacts.readText(found.result.output.sha256);
    },
    async close() {
      await stop();
      await Promise.all([engine.close(), database.close()]);
      await server.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

const queue = 'control';

interface Working {
  address: string;
  namespace: string;
  bundle: WorkflowBundleOption;
  host: HostDeps;
  messaging: Messaging;
}

async function work({ address, namespace, bundle, host, messaging }: Working): Promise<() => Promise<void>> {
  quietRuntime();
  const connection = await NativeConnection.connect({ address, grpcCompression: { codec: 'none' } });
  const control = createControlActivities({
    messaging,
    artifacts: host.artifacts,
    attempts: host.attempts,
    log: createLogger('control', 'silent'),
  });
  const common = { connection, namespace, dataConverter, maxHeartbeatThrottleInterval: '100ms' };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue: queue, workflowBundle: bundle, activities: { ...control } }),
    Worker.create({ ...common, taskQueue: placementQueue, activities: { ...createPlacementActivities(host) } }),
    Worker.create({
      ...common,
      taskQueue: hostQueue(host.hostId),
      activities: { ...createHostActivities(host), ...createPlacementActivities(host) },
    }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  return async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
  };
}

let isQuiet = false;

function quietRuntime(): void {
  if (isQuiet) return;
  isQuiet = true;
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
}

/** The queues have their usual names: a namespace of its own keeps other tests out. */
async function makeNamespace(address: string): Promise<string> {
  const namespace = `runs-${randomBytes(6).toString('hex')}`;
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await connection.close();
  await until('the namespace is there', async () => ((await probeTemporal(address, namespace)) ? true : undefined));
  return namespace;
}

function makeRepository(repo: string): string {
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  writeFileSync(join(repo, 'file'), 'of the base\n');
  const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  execFileSync('git', ['-C', repo, 'add', '.']);
  execFileSync('git', ['-C', repo, ...author, 'commit', '-q', '-m', 'base']);
  return repo;
}

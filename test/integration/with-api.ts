import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { z } from 'zod';
import { createApp } from '#api/app.ts';
import { type ApiParts, openLibrary } from '#api/parts.ts';
import { RunListed, type StartRun } from '#core/contract/http.ts';
import type { RunEvent } from '#core/run/event.ts';
import type { RunSummary } from '#core/run/summary.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { createLogger } from '#infra/log.ts';
import { type Database, openDatabase } from '#infra/postgres/database.ts';
import { openEventStream } from '#infra/postgres/event-stream.ts';
import { createHostStore } from '#infra/postgres/host-store.ts';
import { createMessageStore } from '#infra/postgres/message-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { createRunStore } from '#infra/postgres/run-store.ts';
import { createSteeringStore } from '#infra/postgres/steering-store.ts';
import { createTaskStore } from '#infra/postgres/task-store.ts';
import { connectEngine, type EngineOptions } from '#infra/temporal/client.ts';
import { withPostgres } from './with-postgres.ts';
import { withTemporal } from './with-temporal.ts';

export interface TestApi {
  app: OpenAPIHono;
  parts: ApiParts;
  database: Database;
  /** A request with the token; a body is sent as JSON. */
  call(
    path: string,
    request?: { method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Response>;
  /** Starts a run of a small definition; its id. */
  newRun(request?: Partial<StartRun>): Promise<string>;
  /** Adds events after those that are there, with a summary of the given status. */
  record(runId: string, events: RunEvent[], summary?: Partial<RunSummary>): Promise<void>;
  close(): Promise<void>;
}

/** The body of an answer, checked against its contract. */
export async function bodyOf<T extends z.ZodType>(
  response: Response | Promise<Response>,
  shape: T,
): Promise<z.output<T>> {
  return shape.parse(await (await response).json());
}

/** The whole API over a real database and a real engine; nobody works on its queue unless a test does. */
export async function withApi(engineOptions: Partial<EngineOptions> = {}): Promise<TestApi> {
  const [server, temporal] = await Promise.all([withPostgres(), withTemporal()]);
  const folder = await mkdtemp(join(tmpdir(), 'setpoint-api-'));
  await migrate(server.url);
  const database = openDatabase(server.url);
  const { address, namespace, taskQueue: queue } = temporal;
  const parts: ApiParts = {
    runs: createRunStore(database),
    messages: createMessageStore(database),
    hosts: createHostStore(database),
    steering: createSteeringStore(database),
    tasks: createTaskStore(database),
    stream: openEventStream(server.url),
    engine: connectEngine({ address, namespace, queue, ...engineOptions }),
    artifacts: openArtifactStore(join(folder, 'artifacts')),
    ...openLibrary(database, () => Buffer.alloc(32, 7)),
    owner: { name: 'owner', teams: 'all', admin: true },
    dataFolder: folder,
    loops: 'on',
    confirmationKey: () => Buffer.alloc(32, 9),
    token: 'a-token',
    log: createLogger('api', 'silent'),
  };
  const app = createApp(parts);
  const call: TestApi['call'] = async (path, { method, body, headers } = {}) =>
    app.request(path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: 'Bearer a-token',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    app,
    parts,
    database,
    call,
    async newRun(request = {}) {
      const body = { source: 'task: x\nagent: codex\nchecks: [npm test]\n', ...request };
      return (await bodyOf(call('/v1/runs', { body }), RunListed)).runId;
    },
    async record(runId, events, summary = {}) {
      const before = (await parts.runs.eventsAfter(runId, 0)).length;
      const seq = before + events.length;
      await parts.runs.appendEvents({
        runId,
        seat: 1,
        events: events.map((event, index) => ({ seq: before + index + 1, event })),
        summary: { status: 'running', passes: 1, spendUsd: 0, seq, ...summary },
      });
    },
    async close() {
      await Promise.all([parts.stream.close(), parts.engine.close(), database.close()]);
      await Promise.all([server.close(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

import type { Cleanup, CleanupShown } from '#core/contract/cleanup.ts';
import type { ForkPlace, PlanShown, RunList, RunListed, StartRun } from '#core/contract/http.ts';
import type { StoredEvent } from '#core/run/event.ts';

import { ApiProblem } from '#cli/client/api-problem.ts';
import { callsOf, readAs, type ServerCalls } from '#cli/client/server-calls.ts';
import type { RunStarted } from '#cli/client/run-started.ts';
import type { ServerAddress } from '#cli/stack/server-address.ts';

const loadShapes = () => import('#cli/client/shapes.ts');

/** A run with its plan's loops as far as progress needs them; `whole` is the answer as it came. */
interface RunRead {
  listed: RunListed;
  whole: unknown;
  forks: readonly ForkPlace[];
}

export interface OutputPart {
  step: string;
  pass: number;
  attempt: number;
}

/** The HTTP contract (docs/guide/http-api.md) as functions. Each throws `ServerUnreachable` or `ApiProblem`. */
export interface ApiClient {
  readonly server: ServerAddress;
  /** Safe to repeat with the same key: the same run is answered, and `found` tells that it was there before. */
  startRun(body: StartRun, key: string): Promise<RunStarted & { found: boolean }>;
  plan(body: StartRun): Promise<PlanShown>;
  run(runId: string): Promise<RunRead>;
  /** `query` as it was typed: the server names what it does not know. */
  runs(query: Record<string, string>): Promise<RunList>;
  /** Every stored event after `after`. */
  events(runId: string, after?: number): Promise<StoredEvent[]>;
  /** Output of an attempt from byte `from` on; empty when there is nothing more yet. */
  output(runId: string, part: OutputPart, from?: number): Promise<Uint8Array>;
  diff(runId: string, pass?: number): Promise<string>;
  /** The whole text of an artifact. */
  artifact(sha256: string): Promise<string>;
  /** Only hands the request over: what the run is after it is not read. */
  cancel(runId: string, reason: string): Promise<void>;
  cleanup(runId: string, body: Cleanup): Promise<CleanupShown>;
}

export function createApiClient(server: ServerAddress): ApiClient {
  const calls = callsOf(server);
  const { http, told } = calls;
  const ofRun = (runId: string) => ({ params: { path: { runId } } });
  return {
    server,
    startRun: async (body, key) => {
      const started = http.POST('/v1/runs', { body, params: { header: { 'idempotency-key': key } } });
      // The shape is loaded while the server works.
      const [{ data, response }, shape] = await Promise.all([told(started), import('#cli/client/run-started.ts')]);
      return { ...readAs(data, shape.RunStarted), found: response.status === 200 };
    },
    plan: async (body) => {
      const { data } = await told(http.POST('/v1/plans', { body }));
      return readAs(data, (await loadShapes()).PlanShown);
    },
    run: async (runId) => {
      const [{ data }, shapes] = await Promise.all([told(http.GET('/v1/runs/{runId}', ofRun(runId))), loadShapes()]);
      const { forks = [] } = readAs(data, shapes.RunForks);
      return { whole: data, listed: readAs(data, shapes.RunListed), forks };
    },
    runs: async (query) => {
      const { data } = await told(
        http.GET('/v1/runs', { querySerializer: () => new URLSearchParams(query).toString() }),
      );
      return readAs(data, (await loadShapes()).RunList);
    },
    events: (runId, after) => allEvents(calls, runId, after ?? 0),
    output: (runId, part, from) => readOutput(calls, runId, { part, from: from ?? 0 }),
    diff: async (runId, pass) => {
      const params = { path: { runId }, query: pass === undefined ? {} : { pass } };
      const { data } = await told(http.GET('/v1/runs/{runId}/diff', { params, parseAs: 'text' }));
      return data ?? '';
    },
    artifact: async (sha256) => {
      const params = { path: { sha256 } };
      const { data } = await told(http.GET('/v1/artifacts/{sha256}', { params, parseAs: 'text' }));
      return data ?? '';
    },
    cancel: async (runId, reason) => {
      const body = { messageId: crypto.randomUUID(), reason };
      const { response } = await told(
        http.POST('/v1/runs/{runId}/cancel', { ...ofRun(runId), body, parseAs: 'stream' }),
      );
      await response.body?.cancel();
    },
    cleanup: async (runId, body) => {
      const { data } = await told(http.POST('/v1/runs/{runId}/cleanup', { ...ofRun(runId), body }));
      return readAs(data, (await loadShapes()).CleanupShown);
    },
  };
}

async function allEvents({ http, told }: ServerCalls, runId: string, after: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  const { EventPage } = await loadShapes();
  let cursor = after;
  for (;;) {
    const params = { path: { runId }, query: { after: cursor } };
    const page = readAs((await told(http.GET('/v1/runs/{runId}/events', { params }))).data, EventPage);
    events.push(...page.events);
    cursor = page.events.at(-1)?.seq ?? cursor;
    if (page.ended || page.events.length === 0) return events;
  }
}

async function readOutput(
  { http, told }: ServerCalls,
  runId: string,
  { part, from }: { part: OutputPart; from: number },
): Promise<Uint8Array> {
  const headers = { accept: 'text/plain', ...(from > 0 ? { range: `bytes=${from}-` } : {}) };
  const params = { path: { runId }, query: { ...part } };
  const call = http.GET('/v1/runs/{runId}/output', { params, headers, parseAs: 'arrayBuffer' });
  const answer = await told(call).catch(nothingMore);
  const bytes = new Uint8Array(answer?.data ?? new ArrayBuffer(0));
  // A server that ignores the range answers 200 with the whole.
  return from > 0 && answer?.response.status === 200 ? bytes.subarray(Math.min(from, bytes.length)) : bytes;
}

/** 416: the range begins at the end, so there is nothing more yet. */
function nothingMore(error: unknown): undefined {
  if (error instanceof ApiProblem && error.problem.status === 416) return undefined;
  throw error;
}

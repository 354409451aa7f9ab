import type { Cleanup, CleanupShown } from '#core/contract/cleanup.ts';
import type { PlanShown, RunList, RunListed, StartRun } from '#core/contract/http.ts';
import type { StoredEvent } from '#core/run/event.ts';

import { ApiProblem } from '#cli/client/api-problem.ts';
import { readAs, send, type ServerAddress } from '#cli/client/http-exchange.ts';
import type { RunStarted } from '#cli/client/shapes.ts';

const loadShapes = () => import('#cli/client/shapes.ts');

/** A run with its plan's loops as far as progress needs them; `whole` is the answer as it came. */
interface RunRead {
  listed: RunListed;
  whole: unknown;
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
  runs(query: Record<string, string>): Promise<RunList>;
  /** Every stored event after `after`. */
  events(runId: string, after?: number): Promise<StoredEvent[]>;
  /** The open SSE answer from `after` on. */
  stream(runId: string, after: number, signal: AbortSignal): Promise<Response>;
  /** Output of an attempt from byte `from` on; empty when there is nothing more yet. */
  output(runId: string, part: OutputPart, from?: number): Promise<Uint8Array>;
  diff(runId: string, pass?: number): Promise<string>;
  /** The whole text of an artifact. */
  artifact(sha256: string): Promise<string>;
  steer(runId: string, action: 'cancel' | 'retry', reason?: string): Promise<void>;
  cleanup(runId: string, body: Cleanup): Promise<CleanupShown>;
}

export function createApiClient(server: ServerAddress): ApiClient {
  const ofRun = (runId: string, rest = ''): string => `/v1/runs/${encodeURIComponent(runId)}${rest}`;
  return {
    server,
    startRun: async (body, key) => {
      const headers = { 'idempotency-key': key };
      const exchange = { method: 'POST', body, headers } as const;
      // The shapes are loaded while the server works.
      const [response, shapes] = await Promise.all([send(server, '/v1/runs', exchange), loadShapes()]);
      return { ...(await readAs(response, shapes.RunStarted)), found: response.status === 200 };
    },
    plan: async (body) => {
      const response = await send(server, '/v1/plans', { method: 'POST', body });
      return readAs(response, (await loadShapes()).PlanShown);
    },
    run: async (runId) => {
      const [response, shapes] = await Promise.all([send(server, ofRun(runId)), loadShapes()]);
      const whole = await readAs(response, shapes.Anything);
      return { whole, listed: await readAs(Response.json(whole), shapes.RunListed) };
    },
    runs: async (query) => {
      const search = new URLSearchParams(query).toString();
      const response = await send(server, `/v1/runs${search === '' ? '' : `?${search}`}`);
      return readAs(response, (await loadShapes()).RunList);
    },
    events: (runId, after) => allEvents(server, ofRun(runId, '/events'), after ?? 0),
    stream: (runId, after, signal) => {
      const headers = { accept: 'text/event-stream', ...(after > 0 ? { 'last-event-id': String(after) } : {}) };
      return send(server, ofRun(runId, '/events'), { headers, signal });
    },
    output: (runId, part, from) => readOutput(server, ofRun(runId, `/output?${outputQuery(part)}`), from ?? 0),
    diff: async (runId, pass) => {
      const response = await send(server, ofRun(runId, `/diff${pass === undefined ? '' : `?pass=${pass}`}`));
      return response.text();
    },
    artifact: async (sha256) => (await send(server, `/v1/artifacts/${encodeURIComponent(sha256)}`)).text(),
    steer: async (runId, action, reason) => {
      const body = { messageId: crypto.randomUUID(), ...(reason === undefined ? {} : { reason }) };
      const response = await send(server, ofRun(runId, `/${action}`), { method: 'POST', body });
      await response.body?.cancel();
    },
    cleanup: async (runId, body) => {
      const response = await send(server, ofRun(runId, '/cleanup'), { method: 'POST', body });
      return readAs(response, (await loadShapes()).CleanupShown);
    },
  };
}

async function allEvents(server: ServerAddress, path: string, after: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  const { EventPage } = await loadShapes();
  let cursor = after;
  for (;;) {
    const page = await readAs(await send(server, `${path}?after=${cursor}`), EventPage);
    events.push(...page.events);
    cursor = page.events.at(-1)?.seq ?? cursor;
    if (page.ended || page.events.length === 0) return events;
  }
}

function outputQuery(part: OutputPart): string {
  return new URLSearchParams({
    step: part.step,
    pass: String(part.pass),
    attempt: String(part.attempt),
  }).toString();
}

async function readOutput(server: ServerAddress, path: string, from: number): Promise<Uint8Array> {
  const headers = { accept: 'text/plain', ...(from > 0 ? { range: `bytes=${from}-` } : {}) };
  const response = await fetchOutput(server, path, headers);
  if (response === undefined) return new Uint8Array();
  const bytes = new Uint8Array(await response.arrayBuffer());
  // A server that ignores the range answers 200 with the whole.
  return from > 0 && response.status === 200 ? bytes.subarray(Math.min(from, bytes.length)) : bytes;
}

async function fetchOutput(
  server: ServerAddress,
  path: string,
  headers: Record<string, string>,
): Promise<Response | undefined> {
  return send(server, path, { headers }).catch((error: unknown) => {
    // 416: the range begins at the end, so there is nothing more yet.
    if (error instanceof ApiProblem && error.problem.status === 416) return undefined;
    throw error;
  });
}

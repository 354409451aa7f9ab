import { watchEvents, type WatchOptions } from '#client/event-feed.ts';
import { createHttp, type Http, type SetpointServer } from '#client/http.ts';
import { createOperations } from '#client/operations.ts';
import type { StoredEvent } from '#client/schema.ts';

/** Every call of the API by name, and what is more than one call. */
export interface SetpointClient extends ReturnType<typeof createOperations> {
  /**
   * Every event of a run exactly once and in order, until the run has stopped or `signal` aborts. It survives lost
   * connections and restarts of the server; `after` goes on behind the last `seq` that you have seen.
   */
  watchRun(runId: string, options?: WatchOptions): AsyncGenerator<StoredEvent>;
  /** The API by method and path, for statuses, byte ranges and streams. */
  readonly http: Http;
}

/** A client of one server. Every call throws `SetpointProblem` or `SetpointUnreachable`. */
export function createSetpointClient(server: SetpointServer): SetpointClient {
  const url = server.url.replace(/\/+$/, '');
  const http = createHttp({ ...server, url });
  return {
    ...createOperations(http),
    watchRun: (runId, options) => watchEvents({ http, url, runId }, options),
    http,
  };
}

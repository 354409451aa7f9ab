import createClient, { type Client } from 'openapi-fetch';

import { problemOf, unexpectedAnswer, unreachableServer } from '#client/problem.ts';
import type { paths } from '#client/schema.ts';

/** Where a server is, and what proves that we may talk to it. */
export interface SetpointServer {
  /** Such as `http://127.0.0.1:4747`. */
  url: string;
  /** The bearer token: the file `token` in the server's home, or its SETPOINT_TOKEN. */
  token?: string;
  /** In place of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * The API by method and path, as openapi-fetch types it, for what the named calls hide: statuses, byte ranges, streams.
 * Throws `SetpointProblem` for any answer that is not 2xx and `SetpointUnreachable` for none; an abort of a request's
 * signal comes through as it is.
 */
export type Http = Client<paths, 'application/json'>;

/** What each call takes beside its own. */
export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

export function createHttp({ url, token, fetch }: SetpointServer): Http {
  const http = createClient<paths, 'application/json'>({
    baseUrl: url,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    ...(fetch === undefined ? {} : { fetch }),
  });
  http.use({
    onResponse: async ({ response }) => {
      if (!response.ok) throw await problemOf(response);
    },
    onError: ({ error, request }) => (request.signal.aborted ? undefined : unreachableServer(url, error)),
  });
  return http;
}

interface Answer<T> {
  data?: T;
  response: Response;
}

/** The body of an answer. Throws `SetpointProblem` (`unexpected-answer`) when it is none of JSON. */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, response } = await readable(call);
  if (data !== undefined && data !== null) return data;
  throw unexpectedAnswer(`${response.url} answered without a body.`, response.status);
}

/** Text, which may be empty. */
export async function textOf(call: Promise<Answer<string>>): Promise<string> {
  return (await call).data ?? '';
}

/** Of calls that answer nothing. */
export async function doneOf(call: Promise<Answer<unknown>>): Promise<void> {
  await call;
}

async function readable<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unexpectedAnswer('The answer of the server is no JSON.', 200, { cause: error });
  }
}

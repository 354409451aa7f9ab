import type { z } from 'zod';

import type { Problem } from '#core/contract/http.ts';
import type { ClientCode } from '#core/contract/problem.ts';

import { ApiProblem, ServerUnreachable } from '#cli/client/api-problem.ts';
import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';

/** Where a server is, and what proves that we may talk to it. */
export interface ServerAddress {
  url: string;
  token?: string;
  /** What a person does when nothing answers there. */
  remedy: string;
}

export interface Exchange {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * One request. Throws `ServerUnreachable` without an answer, `ApiProblem` for any answer that is not 2xx, and lets an
 * abort of `signal` through as it is.
 */
export async function send(server: ServerAddress, path: string, exchange: Exchange = {}): Promise<Response> {
  const response = await fetch(`${server.url}${path}`, requestOf(server, exchange)).catch((error: unknown) => {
    if (exchange.signal?.aborted === true) throw error;
    throw unreachableServer(server, error);
  });
  if (response.ok) return response;
  throw new ApiProblem(await problemOf(response));
}

/** The body as JSON in the shape of `schema`; another shape means that the server is of another version. */
export async function readAs<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new CliFailure(
    exitCodes.infrastructure,
    `the server's answer is not what this version expects${where === '' ? '' : ` (at ${where})`}`,
    { remedy: 'use the same version of setpoint on both sides', cause: parsed.error },
  );
}

function requestOf(server: ServerAddress, exchange: Exchange): RequestInit {
  return {
    method: exchange.method ?? 'GET',
    headers: {
      ...(server.token === undefined ? {} : { authorization: `Bearer ${server.token}` }),
      ...(exchange.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...exchange.headers,
    },
    ...(exchange.body === undefined ? {} : { body: JSON.stringify(exchange.body) }),
    ...(exchange.signal === undefined ? {} : { signal: exchange.signal }),
  };
}

function unreachableServer(server: ServerAddress, error: unknown): ServerUnreachable {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return new ServerUnreachable(`no server answers at ${server.url} (${messageOf(error)})`, {
    refused: code === 'ECONNREFUSED',
    remedy: server.remedy,
    cause: error,
  });
}

async function problemOf(response: Response): Promise<Problem> {
  const shapes = await import('#cli/client/shapes.ts');
  const parsed = shapes.Problem.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  return {
    type: 'about:blank',
    title: 'unexpected answer',
    status: response.status,
    code: 'unexpected-answer' satisfies ClientCode,
    detail: `${response.url} answered ${response.status} and no problem document: it may be no Setpoint server`,
  };
}

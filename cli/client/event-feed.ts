import { z } from 'zod';

import { feedPatience, type FeedPatience, watchEvents } from '#client/event-feed.ts';
import { createHttp } from '#client/http.ts';
import { SetpointProblem, SetpointUnreachable } from '#client/problem.ts';
import { RunEvent, type StoredEvent } from '#core/run/event.ts';

import type { ApiClient } from '#cli/client/api-client.ts';
import { failureOf } from '#cli/client/server-calls.ts';
import { CliFailure, exitCodes } from '#cli/failure.ts';

export { feedPatience, type FeedPatience };

export interface FeedOptions {
  /** Sequence number to go on after; 0 = from the start. */
  after?: number;
  signal: AbortSignal;
  /** Hears that the connection was lost (with the cause) and that it stands again. */
  onConnection?: (state: 'lost' | 'back', cause: string) => void;
  patience?: FeedPatience;
}

const Stored = z.object({ seq: z.number().int(), event: RunEvent });

/**
 * The feed of the client (`watchEvents`) with each event in the shape of this version. Throws `ApiProblem` when the
 * server refuses, and a failure with exit code 5 when none answers for `giveUpMs` or an event is of another version.
 */
export async function* followEvents(
  { server }: ApiClient,
  runId: string,
  { patience = feedPatience, ...options }: FeedOptions,
): AsyncGenerator<StoredEvent> {
  const watched = { http: createHttp(server), url: server.url, runId };
  try {
    for await (const stored of watchEvents(watched, { ...options, patience })) yield read(stored);
  } catch (error) {
    if (error instanceof SetpointUnreachable) {
      throw new CliFailure(exitCodes.infrastructure, error.message, {
        remedy: `${server.remedy}; then \`setpoint watch ${runId}\``,
      });
    }
    if (error instanceof SetpointProblem && error.status < 300) throw otherVersion(error.detail, error);
    throw failureOf(error, server);
  }
}

function read(stored: { seq: number }): StoredEvent {
  const parsed = Stored.safeParse(stored);
  if (parsed.success) return parsed.data;
  throw otherVersion(`event ${stored.seq} has a shape that this version does not know`, parsed.error);
}

function otherVersion(message: string, cause: unknown): CliFailure {
  return new CliFailure(exitCodes.infrastructure, message, {
    remedy: 'use the same version of setpoint on both sides',
    cause,
  });
}

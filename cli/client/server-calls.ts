import type { z } from 'zod';

import { createHttp, type Http } from '#client/http.ts';
import { SetpointProblem, SetpointUnreachable } from '#client/problem.ts';

import { ApiProblem, ServerUnreachable } from '#cli/client/api-problem.ts';
import { CliFailure, exitCodes } from '#cli/failure.ts';
import type { ServerAddress } from '#cli/stack/server-address.ts';

/** Calls of a server by the generated client, with the failures of the command line. */
export interface ServerCalls {
  readonly http: Http;
  /** What the call answers. Throws `ServerUnreachable` without an answer, `ApiProblem` for any that is not 2xx. */
  readonly told: <T>(call: Promise<T>) => Promise<T>;
}

export function callsOf(server: ServerAddress): ServerCalls {
  return {
    http: createHttp(server),
    told: (call) =>
      call.catch((error: unknown) => {
        throw failureOf(error, server);
      }),
  };
}

/** What went wrong in a call, as a command tells it; an abort stays as it is. */
export function failureOf(error: unknown, server: ServerAddress): unknown {
  if (error instanceof SetpointUnreachable) {
    return new ServerUnreachable(error.message, { refused: error.refused, remedy: server.remedy, cause: error });
  }
  if (error instanceof SyntaxError) return otherVersion('', error);
  if (!(error instanceof SetpointProblem)) return error;
  const { type, title, status, code, detail, remedy, issues } = error;
  const listed = issues.length === 0 ? {} : { issues: [...issues] };
  return new ApiProblem({ type, title, status, code, detail, ...(remedy === undefined ? {} : { remedy }), ...listed });
}

/** An answer in the shape of `schema`; another shape means that the server is of another version. */
export function readAs<T>(answer: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw otherVersion(parsed.error.issues[0]?.path.join('.') ?? '', parsed.error);
}

function otherVersion(where: string, cause: unknown): CliFailure {
  return new CliFailure(
    exitCodes.infrastructure,
    `the server's answer is not what this version expects${where === '' ? '' : ` (at ${where})`}`,
    { remedy: 'use the same version of setpoint on both sides', cause },
  );
}

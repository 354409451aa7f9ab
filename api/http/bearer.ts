import { createHash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { ApiProblem } from '#api/http/problem.ts';

/** Lets a request pass only with `Authorization: Bearer <token>`. Compared in constant time, whatever the length. */
export function requireToken(token: string): MiddlewareHandler {
  const expected = digest(token);
  return async (c, next) => {
    const given = /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      throw new ApiProblem('http/unauthorized', {
        detail:
          given === undefined ? 'The request has no bearer token.' : 'The bearer token is not the one of this server.',
        remedy: 'Send the token of the server: it is in the file `token` of its home, or in SETPOINT_TOKEN.',
      });
    }
    await next();
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

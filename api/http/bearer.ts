import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import type { Principal } from '#core/contract/principal.ts';
import type { PersonStore } from '#infra/postgres/person-store.ts';
import { ApiProblem } from '#api/http/problem.ts';

declare module 'hono' {
  interface ContextVariableMap {
    principal?: Principal;
  }
}

/** Whose requests are let in: the owner by the server's own token, and everybody in `people` by theirs. */
export interface Doorkeeping {
  token: string;
  owner: Principal;
  people: PersonStore;
}

/**
 * Lets a request pass only with `Authorization: Bearer <token>`, and says who makes it (`principalOf`). The server's own
 * token needs no database; nothing is remembered, so a token that is taken away ends with the next request.
 */
export function requirePrincipal({ token, owner, people }: Doorkeeping): MiddlewareHandler {
  const ownersDigest = digest(token);
  return async (c, next) => {
    const given = bearerTokenOf(c);
    if (given === undefined) throw unauthorized('The request has no bearer token.');
    // By digests of one length: the time tells nothing, whatever is given.
    const isOwners = timingSafeEqual(digest(given), ownersDigest);
    const principal = isOwners ? owner : await personOf(people, given);
    if (principal === undefined) {
      throw unauthorized('The bearer token is neither the one of this server nor that of a person whom it knows.');
    }
    c.set('principal', principal);
    await next();
  };
}

/** The token of the request as it was sent; undefined without one. */
export function bearerTokenOf(c: Context): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(c.req.header('authorization') ?? '')?.[1];
}

/** Who makes the request. */
export function principalOf(c: Context): Principal {
  const principal = c.get('principal');
  if (principal === undefined) throw unauthorized('The request has no bearer token.');
  return principal;
}

/** The problem `http/forbidden` unless an admin asks. `what` completes "… is for admins". */
export function requireAdmin(c: Context, what: string): void {
  const { name, admin } = principalOf(c);
  if (admin) return;
  throw new ApiProblem('http/forbidden', {
    detail: `${what} is for admins, and ${name} is none.`,
    remedy: 'Ask an admin (setpoint people lists them), or use the token of the server itself.',
  });
}

const tokenForm = /^spp_[\w-]{43}$/;

/** A token for a person: 256 bits. The form tells it from the server's own, and from what cannot be a token. */
export function newPersonToken(): { token: string; tokenSha256: string } {
  const token = `spp_${randomBytes(32).toString('base64url')}`;
  return { token, tokenSha256: digest(token).toString('hex') };
}

/** Found by the digest of a token of 256 random bits: how long the search takes tells nothing about one. */
async function personOf(people: PersonStore, token: string): Promise<Principal | undefined> {
  if (!tokenForm.test(token)) return undefined;
  const person = await people.findByToken(digest(token).toString('hex'));
  return person === undefined ? undefined : { name: person.name, teams: person.teams, admin: person.admin };
}

function unauthorized(detail: string): ApiProblem {
  const remedy =
    'Send the token that you were given, or that of the server: it is in the file `token` of its home, or in SETPOINT_TOKEN.';
  return new ApiProblem('http/unauthorized', { detail, remedy });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

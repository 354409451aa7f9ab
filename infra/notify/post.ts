import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ForbiddenAddress, guardedLookup, type Reach, whyUnreachable } from '#infra/notify/reach.ts';
import { reasonOf, type SendOutcome } from '#infra/notify/outcome.ts';

export interface Post {
  url: string;
  reach: Reach;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body: string;
  signal: AbortSignal;
}

/**
 * Posts once, and follows no redirect: the address that was looked at is the one that is called.
 * Node's own client rather than `fetch`, which looks names up where nobody can look on.
 */
export async function post({ url, reach, headers, body, signal }: Post): Promise<SendOutcome> {
  const target = new URL(url);
  const unreachable = whyUnreachable(target, reach);
  if (unreachable !== undefined) return { kind: 'never', reason: `It may not be called: ${unreachable}.` };
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    // A connection of its own: a kept one would have been looked up for somebody else.
    agent: false as const,
    signal,
    ...(reach.kind === 'guarded' ? { lookup: guardedLookup } : {}),
  };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = target.protocol === 'https:' ? requestHttps : requestHttp;
      send(target, options, resolve).on('error', reject).end(body);
    });
    // What it says besides is of no use, and may be without end.
    response.on('error', () => undefined).destroy();
    return outcomeOf(response.statusCode ?? 0);
  } catch (error) {
    return failed(error);
  }
}

function outcomeOf(status: number): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const reason = `It answered ${String(status)}.`;
  if (status === 408 || status === 429 || status >= 500) return { kind: 'later', reason };
  return { kind: 'never', reason: status >= 300 && status < 400 ? `${reason} Redirects are not followed.` : reason };
}

function failed(error: unknown): SendOutcome {
  if (error instanceof ForbiddenAddress) return { kind: 'never', reason: `It may not be called: ${error.message}.` };
  return { kind: 'later', reason: reasonOf(error) };
}

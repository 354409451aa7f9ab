import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

import { z } from 'zod';

import type { ConfirmationCode } from '#core/contract/problem.ts';
import { canonicalJson } from '#core/text/canonical-json.ts';

import { ToolProblem } from '#mcp/tool-problem.ts';

/** How long a confirmation counts, in seconds. */
export const confirmationSeconds = 600;

/** What a confirmation is given for. */
export interface ConfirmedCall {
  tool: string;
  /** As the tool's schema reads them, without `confirm`. */
  input: Readonly<Record<string, unknown>>;
  /** Name of the principal. */
  who: string;
}

/** What was seen when the confirmation was given, and stays so: a revision of a task, a version of a definition. */
export const Seen = z.record(z.string(), z.number().int());
export type Seen = z.infer<typeof Seen>;

const Payload = z.strictObject({
  id: z.string(),
  /** Epoch seconds. */
  until: z.number().int(),
  by: z.string(),
  call: z.string(),
  seen: Seen,
});

/** Confirmations of calls that spend or decide (E-24). Nothing is stored: each carries what it binds, under a key of the server. */
export interface Confirmations {
  give(call: ConfirmedCall, seen: Seen): { token: string; until: string };
  /**
   * Its id, under which the call counts once, however often it is repeated, and what was seen. Throws `ToolProblem`:
   * `confirmation/unknown`, `other-person`, `other-call`, `expired`.
   */
  take(call: ConfirmedCall, token: string): { id: string; seen: Seen };
}

/** `key` is asked for with each confirmation: a server without one refuses those calls alone. */
export function createConfirmations(key: () => Buffer, now: () => number = Date.now): Confirmations {
  const sign = (payload: string): Buffer => createHmac('sha256', key()).update(payload).digest();
  return {
    give(call, seen) {
      const until = Math.floor(now() / 1000) + confirmationSeconds;
      const given = { id: `mcp-${randomBytes(16).toString('hex')}`, until, by: call.who, call: digestOf(call), seen };
      const payload = Buffer.from(JSON.stringify(given)).toString('base64url');
      const token = `${payload}.${sign(payload).toString('base64url')}`;
      return { token, until: new Date(until * 1000).toISOString() };
    },
    take(call, token) {
      const { id, until, by, call: digest, seen } = opened(token, sign);
      if (by !== call.who) throw refused('confirmation/other-person', `It was given to ${by}, not to ${call.who}.`);
      if (digest !== digestOf(call)) {
        throw refused('confirmation/other-call', 'The tool or an argument is not the one that it was given for.');
      }
      if (until * 1000 <= now()) {
        throw refused('confirmation/expired', `It counted until ${new Date(until * 1000).toISOString()}.`);
      }
      return { id, seen };
    },
  };
}

function opened(token: string, sign: (payload: string) => Buffer): z.infer<typeof Payload> {
  const [payload = '', given = '', ...rest] = token.trim().split('.');
  const mac = Buffer.from(given, 'base64url');
  const expected = sign(payload);
  const isOurs = rest.length === 0 && mac.length === expected.length && timingSafeEqual(mac, expected);
  if (!isOurs) throw refused('confirmation/unknown', 'This server did not give it out, or it was changed since.');
  return Payload.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
}

function digestOf({ tool, input }: ConfirmedCall): string {
  return createHash('sha256')
    .update(canonicalJson([tool, input]))
    .digest('base64url');
}

function refused(code: ConfirmationCode, why: string): ToolProblem {
  return new ToolProblem(code, `The confirmation does not count. ${why} Nothing was done.`);
}

import { expect, test } from 'vitest';

import { confirmationSeconds, createConfirmations } from '#mcp/confirmation.ts';

const call = { tool: 'start_run', input: { name: 'green', inputs: { a: 1, b: 'x' } }, who: 'ada' };
const start = Date.UTC(2030, 0, 1);

/** Confirmations under a key of one byte repeated, and a clock that the test sets. */
function at(key: number, clock: { now: number } = { now: start }) {
  return createConfirmations(
    () => Buffer.alloc(32, key),
    () => clock.now,
  );
}

const refused = (code: string) => expect.objectContaining({ code, remedy: expect.stringContaining('`confirm`') });

test('E-24: a confirmation comes back with its id and what was seen, in whatever order the arguments are', () => {
  const given = at(1).give(call, { version: 3 });
  const first = at(1).take(call, given.token);
  expect(first).toEqual({ id: expect.stringMatching(/^mcp-[0-9a-f]{32}$/), seen: { version: 3 } });
  const reordered = { who: 'ada', tool: 'start_run', input: { inputs: { b: 'x', a: 1 }, name: 'green' } };
  expect(at(1).take(reordered, given.token)).toEqual(first);
  expect(at(1).take(call, at(1).give(call, {}).token).id).not.toBe(first.id);
});

test('E-24: another tool, argument or person, another key and any change are refused with the reason', () => {
  const { token } = at(1).give(call, {});
  const take = (change: Partial<typeof call>) => () => at(1).take({ ...call, ...change }, token);
  expect(take({ tool: 'fork_run' })).toThrow(refused('confirmation/other-call'));
  expect(take({ input: { ...call.input, name: 'red' } })).toThrow(refused('confirmation/other-call'));
  expect(take({ who: 'bob' })).toThrow(refused('confirmation/other-person'));
  expect(() => at(2).take(call, token)).toThrow(refused('confirmation/unknown'));
  const [payload = '', mac = ''] = token.split('.');
  const changed = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('ada', 'bob')).toString('base64url');
  for (const forged of [
    '',
    'yes',
    payload,
    `${payload}.`,
    `${changed}.${mac}`,
    `${token}.x`,
    `${payload}.${mac}AAAA`,
  ]) {
    expect(() => at(1).take({ ...call, who: 'bob' }, forged)).toThrow(refused('confirmation/unknown'));
  }
});

test('E-24: a confirmation counts for ten minutes', () => {
  const clock = { now: start };
  const confirmations = at(1, clock);
  const { token, until } = confirmations.give(call, {});
  expect(until).toBe('2030-01-01T00:10:00.000Z');
  clock.now = start + confirmationSeconds * 1000 - 1;
  expect(confirmations.take(call, token).seen).toEqual({});
  clock.now += 1;
  expect(() => confirmations.take(call, token)).toThrow(refused('confirmation/expired'));
});

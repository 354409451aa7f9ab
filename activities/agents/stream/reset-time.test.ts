import { describe, expect, test } from 'vitest';
import { resetTime } from '#activities/agents/stream/reset-time.ts';

const now = Date.parse('2026-11-30T12:00:00Z');

describe('E6: a reset is an instant only when the provider said it with a zone', () => {
  test.each([
    ["You've hit your limit · resets 11:30pm (Europe/Berlin)", '2026-11-30T22:30:00.000Z'],
    ["You've hit your limit · resets 9am (Europe/Berlin)", '2026-12-01T08:00:00.000Z'],
    ['5-hour limit reached ∙ resets 3am (UTC)', '2026-12-01T03:00:00.000Z'],
    ['weekly limit reached, resets Dec 3, 9am (America/New_York)', '2026-12-03T14:00:00.000Z'],
    ['resets Dec 3 at 9:15am (Asia/Kolkata)', '2026-12-03T03:45:00.000Z'],
    ['resets Jan 2, 9am (UTC)', '2027-01-02T09:00:00.000Z'],
    ['quota resets at 23:30 UTC', '2026-11-30T23:30:00.000Z'],
    ['try again after 2026-12-01T00:00:00Z', '2026-12-01T00:00:00.000Z'],
    ['Claude AI usage limit reached|1796083200', '2026-12-01T00:00:00.000Z'],
  ])('%s', (message, resetAt) => {
    expect(resetTime(message, now)).toEqual({ resetAt });
  });

  test('a clock change between now and the reset is counted', () => {
    const beforeChange = Date.parse('2026-10-24T20:00:00Z');
    expect(resetTime('resets 9am (Europe/Berlin)', beforeChange)).toEqual({ resetAt: '2026-10-25T08:00:00.000Z' });
  });

  test.each([
    'resets 11:30pm',
    'try again at 3:05 PM.',
    'limit reached',
    'resets 11:30pm (Nowhere/Atlantis)',
    'resets 13pm (UTC)',
    'resets 25:00 (UTC)',
    'resets soon',
  ])('no time: %s', (message) => {
    expect(resetTime(message, now)).toEqual({});
  });
});

describe('E6: a relative time is seconds from now', () => {
  test.each([
    ['try again in 2 days 3 hours 5 minutes.', 183_900],
    ['Please retry in 34.07s.', 35],
    ['"retryDelay": "34s"', 34],
    ['resets in 3h 20m', 12_000],
    ['rate limited, Retry-After: 120', 120],
    ['wait 5 minutes and 30 seconds', 330],
  ])('%s', (message, retryAfterSeconds) => {
    expect(resetTime(message, now)).toEqual({ retryAfterSeconds });
  });

  test('the Retry-After header goes before anything in the message, as seconds or as a date', () => {
    expect(resetTime('resets 11:30pm (Europe/Berlin)', now, '1')).toEqual({ retryAfterSeconds: 1 });
    expect(resetTime('x', now, 'Mon, 30 Nov 2026 13:00:00 GMT')).toEqual({ resetAt: '2026-11-30T13:00:00.000Z' });
    expect(resetTime('x', now, 'later')).toEqual({});
  });
});

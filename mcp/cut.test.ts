import { expect, test } from 'vitest';

import { jsonAnswer } from '#mcp/answer.ts';
import { cutHead, cutTail, fittingEvents, linesOf, longestText } from '#mcp/cut.ts';

test('E-24: a long text is read on where it was cut, and whole when nothing is missing', () => {
  const whole = 'abcde'.repeat(longestText / 2);
  expect(cutHead('short')).toEqual({ text: 'short' });
  expect(cutTail('short')).toEqual({ text: 'short' });
  const parts: string[] = [];
  for (let from: number | undefined = 0; from !== undefined;) {
    const { text, cut = '' } = cutHead(whole, from);
    parts.push(text);
    const next = /`from: (\d+)`/.exec(cut)?.[1];
    from = next === undefined ? undefined : Number(next);
  }
  expect(parts).toHaveLength(3);
  expect(parts.join('')).toBe(whole);
  expect(cutTail(`x${whole}`).cut).toBe(`the last ${longestText} of ${whole.length + 1} characters`);
});

test('E-24: as many events as fit, at least one, and where the next begin', () => {
  const event = { type: 'run.started' as const, at: 1, runId: 'r'.repeat(30_000) };
  const events = [1, 2, 3].map((seq) => ({ seq, event }));
  expect(fittingEvents({ events: events.slice(0, 1), ended: true })).toMatchObject({ ended: true });
  expect(fittingEvents({ events, ended: true })).toEqual({
    events: events.slice(0, 1),
    ended: false,
    cut: expect.stringContaining('`after: 1`'),
  });
});

test('E-24: a long field and a long plan say how much of them is left out', () => {
  const [, json] = jsonAnswer({ list: ['y'.repeat(4_010)] }).content;
  expect(json).toMatchObject({ text: expect.stringContaining('… [cut here: 10 more characters]') });
  expect(linesOf('a\nb\n')).toEqual(['a', 'b']);
  expect(linesOf('a\n'.repeat(402)).at(-1)).toBe('… [cut here: 2 more lines]');
});

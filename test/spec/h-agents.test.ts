import { expect, test } from 'vitest';

import { commandCheck, loopTo, plan, scriptedAgent, step } from '../fakes/plans.ts';
import { crashed, exited, fails, ok, passes } from './outcomes.ts';
import { play } from './play.ts';

const agent = scriptedAgent(['true']);
const tests = commandCheck('tests');

test("H1: the agent's own exit never decides: checks that fail fail the pass", () => {
  const run = play(plan([step('work', { work: agent, checks: [tests] })])).opens();
  expect(run.attempts('work', ok({ tree: 'a' })).judges('work', fails('tests')).stop?.kind).toBe('failed');
});

test('H1: the spend of every attempt counts, failed, crashed and repeated ones too', () => {
  const run = play(plan([step('work', { work: agent, checks: [tests], loop: loopTo('work') })])).opens();
  run.attempts('work', crashed({ usd: 0.25 })).attempts('work', exited(1, { tree: 'a', usd: 0.5 }));
  run
    .judges('work', fails('tests'))
    .attempts('work', ok({ tree: 'b', usd: 1 }))
    .judges('work', passes('tests'));
  expect(run.state.spend.usd).toBe(1.75);
});

test('H1: an unknown cost leaves the sum as it is, and the tokens count', () => {
  const result = ok({ tree: 'a' });
  const spend = { estimated: false, inputTokens: 100, outputTokens: 7 };
  const run = play(plan([step('work', { work: agent })]))
    .opens()
    .attempts('work', { ...result, spend });
  expect(run.state.spend).toEqual({ usd: 0, estimated: false, inputTokens: 100, outputTokens: 7 });
});

test('H1: one estimated part makes the sum an estimate', () => {
  const steps = [step('a', { work: agent }), step('b', { work: agent, after: ['a'] })];
  const estimated = { usd: 1, estimated: true, inputTokens: 1, outputTokens: 1 };
  const run = play(plan(steps))
    .opens()
    .attempts('a', { ...ok({ tree: 'a' }), spend: estimated });
  expect(run.attempts('b', ok({ tree: 'b', usd: 1 })).state.spend).toMatchObject({ usd: 2, estimated: true });
});

test('H1, E4, T-04: a session goes on in the next pass only where the plan resumes sessions', () => {
  const sessionOf = (session: 'fresh' | 'resume') => {
    const work = { kind: 'agent' as const, prompt: 'Do it.', agent: { name: 'codex', session, fallback: [] } };
    const run = play(plan([step('work', { work, loop: loopTo('work') })])).opens();
    return run.attempts('work', exited(1, { tree: 'a', session: 's1' })).input('work').session;
  };
  expect(sessionOf('resume')).toBe('s1');
  expect(sessionOf('fresh')).toBeUndefined();
});

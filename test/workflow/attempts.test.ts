import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { Recovered } from '#core/contract/activities.ts';
import { commandCheck, plan, scriptedAgent, step } from '../fakes/plans.ts';
import type { Played } from './harness.ts';
import { worked } from './outcomes.ts';
import { useStage } from './use-stage.ts';

const stage = useStage();

const agent = step('work', { work: scriptedAgent(['true']), checks: [commandCheck('tests')] });

function crash(code = 'host/crashed'): never {
  throw ApplicationFailure.create({ type: code, message: 'The host died.', nonRetryable: false });
}

/** The first `crashes` attempts crash; `recovered` is what is then found of them. */
async function afterCrashes(crashes: number, recovered: Recovered, code?: string): Promise<Played> {
  return stage.play({
    plan: plan([agent]),
    script: {
      attempt: (_input, call) => (call <= crashes ? crash(code) : worked(call)),
      recoverAttempt: () => recovered,
    },
  });
}

const attemptsOf = (played: Played) => played.world.inputsOf('attempt').map(({ key }) => key.attempt);
const spend = { usd: 0.5, estimated: false, inputTokens: 1, outputTokens: 1 };

test.concurrent('decision 4: an attempt that had finished before its host died is taken as it is, never paid twice', async () => {
  const played = await afterCrashes(1, { kind: 'finished', result: worked(9) });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(attemptsOf(played)).toEqual([1]);
  expect(played.types).toContain('attempt.interrupted');
  expect(played.world.inputsOf('judge')[0]?.snapshot?.tree).toBe('tree9');
});

test.concurrent('decision 4: an attempt whose process had ended goes on under the same key', async () => {
  const played = await afterCrashes(1, { kind: 'resumable' });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(attemptsOf(played)).toEqual([1, 1]);
  expect(played.world.inputsOf('attempt').map(({ resume }) => resume)).toEqual([false, true]);
});

test.concurrent('E5: a lost attempt is started again as the next one from the last snapshot, and its spend counts', async () => {
  const played = await afterCrashes(1, { kind: 'lost', spend });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(attemptsOf(played)).toEqual([1, 2]);
  expect(played.world.inputsOf('attempt').map(({ restore }) => restore)).toEqual([false, true]);
  expect(played.summaries.at(-1)?.spendUsd).toBe(0.75);
});

test.concurrent('A2, E5: a pass that crashes four times ends the run', async () => {
  const played = await afterCrashes(9, { kind: 'lost', spend });
  expect(played.ended).toEqual({ as: 'completed', stop: 'failed' });
  expect(attemptsOf(played)).toEqual([1, 2, 3, 4]);
  expect(played.events.at(-1)).toMatchObject({ type: 'run.stopped', stop: { code: 'host/crashed' } });
});

test.concurrent('a host that is told to stop spends no restart', async () => {
  const played = await afterCrashes(5, { kind: 'lost', spend }, 'host/stopping');
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(attemptsOf(played)).toEqual([1, 2, 3, 4, 5, 6]);
});

test.concurrent('A3: a deterministic fault of an attempt stops the run at once, with its remedy', async () => {
  const played = await afterCrashes(1, { kind: 'lost', spend }, 'agent/not-found');
  expect(played.ended).toEqual({ as: 'completed', stop: 'failed_to_start' });
  expect(played.events.at(-1)).toMatchObject({ stop: { code: 'agent/not-found', reason: 'The host died.' } });
  expect(attemptsOf(played)).toEqual([1]);
});

test.concurrent('A2: the wait before a retry is a timer, and the retry stays in its pass', async () => {
  const patient = { ...agent, retry: { on: 'infrastructure' as const, limit: 2, everySeconds: 1.1, backoff: 1 } };
  const played = await stage.play({
    plan: plan([patient]),
    script: {
      attempt: (_input, call) => worked(call, call < 2 ? { kind: 'overload', reason: 'busy' } : { kind: 'ok' }),
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.world.inputsOf('attempt').map(({ key }) => [key.pass, key.attempt])).toEqual([
    [1, 1],
    [1, 2],
  ]);
  expect(played.types.filter((type) => type === 'timer.fired')).toHaveLength(1);
});

test.concurrent("E6: a provider's window is waited out without spending a pass or a retry", async () => {
  const resetAtMs = Date.now() + 2000;
  const end = { kind: 'quota' as const, reason: 'usage limit', resetAtMs };
  const stingy = { ...agent, retry: { on: 'infrastructure' as const, limit: 0, everySeconds: 0, backoff: 1 } };
  const played = await stage.play({
    plan: plan([stingy]),
    script: { attempt: (_input, call) => worked(call, call < 2 ? end : { kind: 'ok' }) },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  const again = played.events.find((event) => event.type === 'attempt.started' && event.attempt === 2);
  expect(again?.at).toBeGreaterThanOrEqual(resetAtMs);
  expect(played.summaries.some(({ why }) => why?.includes("the provider's usage window"))).toBe(true);
});

test.concurrent('B1: a check whose host died is judged again by the engine, and nothing is blamed on the work', async () => {
  const played = await stage.play({
    plan: plan([agent]),
    script: {
      judge: (input, call) => {
        if (call === 1) crash();
        const verdict = { kind: 'pass' as const, evidence: { summary: 'ok', durationMs: 1 }, findings: [] };
        return { fingerprint: '', verdicts: input.checks.map(({ name }) => ({ check: name, verdict })) };
      },
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'succeeded' });
  expect(played.types.filter((type) => type === 'checks.started')).toHaveLength(1);
});

test.concurrent('a look-up that cannot be answered is asked again, and its deterministic fault stops the run', async () => {
  const played = await stage.play({
    plan: plan([agent]),
    script: {
      attempt: () => crash(),
      recoverAttempt: (_key, call) => {
        const nonRetryable = call === 2;
        throw ApplicationFailure.create({ type: 'store/artifact-missing', message: 'It is gone.', nonRetryable });
      },
    },
  });
  expect(played.ended).toEqual({ as: 'completed', stop: 'failed_to_start' });
  expect(played.world.inputsOf('recoverAttempt')).toHaveLength(2);
});

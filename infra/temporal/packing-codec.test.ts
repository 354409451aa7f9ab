import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { randomBytes } from 'node:crypto';
import { mostInputBytes, mostPackedBytes } from '#core/plan/check-size.ts';
import type { StepPlan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import { initialState, initialStep } from '#core/run/state.ts';
import { dataConverter, packedBytes, packedFromBytes } from '#infra/temporal/packing-codec.ts';

import { plan, step } from '../../test/fakes/plans.ts';

const codec = dataConverter.payloadCodecs[0];
if (codec === undefined) throw new TypeError('there is no codec');
const packingCodec = codec;

const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value);
const large = { steps: Array.from({ length: 2_000 }, (_, index) => ({ id: `step${index}`, command: 'npm test' })) };

test('what is large travels packed and comes back as it was', async () => {
  const payload = payloadOf(large);
  const [packed] = await packingCodec.encode([payload]);
  expect(payload.data?.length).toBeGreaterThan(packedFromBytes);
  expect(packed?.data?.length).toBeLessThan((payload.data?.length ?? 0) / 5);
  const [back] = await packingCodec.decode(packed === undefined ? [] : [packed]);
  expect(back === undefined ? undefined : defaultPayloadConverter.fromPayload(back)).toEqual(large);
});

test('what is small, or was stored before there was a codec, is left as it is', async () => {
  const [small, stored] = [payloadOf({ a: 1 }), payloadOf(large)];
  expect(await packingCodec.encode([small])).toEqual([small]);
  expect(await packingCodec.decode([small, stored])).toEqual([small, stored]);
});

test('what packing does not make smaller is left as it is', async () => {
  const noise = payloadOf(new Uint8Array(randomBytes(packedFromBytes * 2)));
  expect(await packingCodec.encode([noise])).toEqual([noise]);
});

test('the weight of a text is told as it travels', () => {
  expect(packedBytes('{"a":1}')).toBe(7);
  expect(packedBytes(JSON.stringify(large))).toBeLessThan(JSON.stringify(large).length / 5);
});

/** As much as the state keeps of a step that has ended, short of long lists of findings. */
function resultOf(seed: number): AttemptResult {
  const hash = seed.toString(16).padStart(8, '0').repeat(8);
  const excerpt = Array.from(
    { length: 60 },
    (_, line) => `  ok ${line} test ${(line * 7919 + seed) % 997} passes`,
  ).join('\n');
  return {
    end: { kind: 'ok' },
    output: { sha256: hash, bytes: 1e6, excerpt: excerpt.slice(0, 2048) },
    fingerprint: hash,
    snapshot: { commit: hash.slice(0, 40), tree: hash.slice(0, 40), head: hash.slice(0, 40) },
    spend: { usd: 1, estimated: false, inputTokens: 1e6, outputTokens: 1e6 },
    findings: [],
    durationMs: 1e6,
  };
}

test.each([
  ['a text that packs badly', [run('a', randomBytes(mostPackedBytes * 0.7).toString('base64'))]],
  ['a thousand steps', Array.from({ length: 1000 }, (_, index) => run(`step-${index}`, 'npm test -- --run'))],
])('E3: what a run hands over after an edit is what the engine carries: %s', (_what, steps) => {
  const before = plan(steps);
  const began = initialState(before);
  const states = before.steps.map(({ id }, index) => {
    const now = { phase: 'attempted' as const, begun: 1, attempt: 1, result: resultOf(index), resultPass: 1 };
    return [id, { ...initialStep, ...now }] as const;
  });
  const edited = { ...before, limits: { ...before.limits, noProgress: 9 } };
  const edit = { type: 'run.edited' as const, at: 2, messageId: 'edit-1', revision: 2, plan: edited };
  const state = apply(before, { ...began, steps: Object.fromEntries(states) }, edit);
  const inputs = { text: randomBytes(mostInputBytes * 0.7).toString('base64') };
  const seat = { runId: 'run_1', seat: 1, plan: before, inputs, resume: { state, seq: 2, reason: 'continued' } };
  expect(packedBytes(JSON.stringify(before))).toBeLessThan(mostPackedBytes);
  expect(packedBytes(JSON.stringify(seat))).toBeLessThan(2 * 1024 * 1024);
});

function run(id: string, command: string): StepPlan {
  return step(id, { work: { kind: 'run', command } });
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { AgentUsage } from '#core/agent/outcome.ts';
import { addSpend, spendOf } from '#core/agent/price.ts';
import { Spend } from '#core/run/attempt-result.ts';

const usage: AgentUsage = { inputTokens: 1_000_000, cachedInputTokens: 0, outputTokens: 0, cumulative: false };

describe('H1: what a usage costs', () => {
  test('H1: a price that the CLI tells is taken as it is', () => {
    expect(spendOf({ ...usage, costUsd: 0.42 })).toEqual({
      usd: 0.42,
      estimated: false,
      inputTokens: 1_000_000,
      outputTokens: 0,
    });
  });

  test('H1: a told price of nothing is a price', () => {
    expect(spendOf({ ...usage, costUsd: 0 })).toMatchObject({ usd: 0, estimated: false });
  });

  test('H1: tokens without a price are estimated, cached ones at their own rate', () => {
    expect(spendOf(usage)).toMatchObject({ usd: 3, estimated: true });
    expect(spendOf({ ...usage, outputTokens: 1_000_000 }).usd).toBe(18);
    expect(spendOf({ ...usage, cachedInputTokens: 1_000_000 }).usd).toBeCloseTo(0.3);
  });

  test('H1: no usage at all is an unknown cost, not a free one', () => {
    expect(spendOf(undefined)).toEqual({ estimated: false, inputTokens: 0, outputTokens: 0 });
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('H1: a told price of %d is no price', (costUsd) => {
    expect(spendOf({ ...usage, costUsd })).toMatchObject({ usd: 3, estimated: true });
  });

  test('H1: whatever is reported, the spend is valid and never negative', () => {
    const tokens = fc.nat({ max: 10_000_000 });
    fc.assert(
      fc.property(tokens, tokens, tokens, fc.double(), (inputTokens, cachedInputTokens, outputTokens, costUsd) => {
        const spend = spendOf({ inputTokens, cachedInputTokens, outputTokens, costUsd, cumulative: false });
        expect(Spend.safeParse(spend).success).toBe(true);
      }),
    );
  });
});

test('H1: what two processes cost is their sum; a cost that nobody tells stays unknown', () => {
  const tokens = { inputTokens: 1, outputTokens: 2 };
  const told = { usd: 0.5, estimated: false, ...tokens };
  const unknown = { estimated: false, ...tokens };
  expect(addSpend(told, { ...told, estimated: true })).toEqual({
    usd: 1,
    estimated: true,
    inputTokens: 2,
    outputTokens: 4,
  });
  expect(addSpend(told, unknown).usd).toBe(0.5);
  expect(addSpend(unknown, unknown)).not.toHaveProperty('usd');
});

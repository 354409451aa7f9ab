import type { AgentUsage } from '#core/agent/outcome.ts';
import type { Spend } from '#core/run/attempt-result.ts';

/**
 * USD a million tokens for a CLI that tells tokens and no price. Deliberately the price of a large model, so that a
 * spend limit binds early rather than late; what it gives is marked as estimated.
 */
const estimate = { input: 3, cached: 0.3, output: 15 };
const million = 1_000_000;

/** What a usage costs. `usd` is absent when the CLI told nothing at all. */
export function spendOf(usage: AgentUsage | undefined): Spend {
  if (usage === undefined) return { estimated: false, inputTokens: 0, outputTokens: 0 };
  const { inputTokens, cachedInputTokens, outputTokens, costUsd } = usage;
  const tokens = { inputTokens, outputTokens };
  if (costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0) {
    return { usd: costUsd, estimated: false, ...tokens };
  }
  const fresh = Math.max(0, inputTokens - cachedInputTokens);
  const usd = (fresh * estimate.input + cachedInputTokens * estimate.cached + outputTokens * estimate.output) / million;
  return { usd, estimated: true, ...tokens };
}

/** What two processes cost together; a cost that only one of them tells is kept. */
export function addSpend(left: Spend, right: Spend): Spend {
  const usd = left.usd === undefined && right.usd === undefined ? {} : { usd: (left.usd ?? 0) + (right.usd ?? 0) };
  return {
    ...usd,
    estimated: left.estimated || right.estimated,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
  };
}

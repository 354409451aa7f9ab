import type { AgentUsage } from '#core/agent/outcome.ts';

/**
 * What is new in a report, given what was counted for the same session before (H1): cumulative totals count once.
 * A total below what was counted belongs to a session that began anew, so it counts whole. Never negative.
 */
export function usageSince(counted: AgentUsage | undefined, reported: AgentUsage): AgentUsage {
  if (!reported.cumulative || counted === undefined || isBelow(reported, counted))
    return { ...reported, cumulative: false };
  return {
    inputTokens: reported.inputTokens - counted.inputTokens,
    cachedInputTokens: Math.max(0, reported.cachedInputTokens - counted.cachedInputTokens),
    outputTokens: reported.outputTokens - counted.outputTokens,
    ...(reported.costUsd === undefined ? {} : { costUsd: inNanoDollars(reported.costUsd - (counted.costUsd ?? 0)) }),
    cumulative: false,
  };
}

function isBelow(reported: AgentUsage, counted: AgentUsage): boolean {
  const cost = reported.costUsd ?? Number.POSITIVE_INFINITY;
  return (
    reported.inputTokens < counted.inputTokens ||
    reported.outputTokens < counted.outputTokens ||
    cost < (counted.costUsd ?? 0)
  );
}

/** The sum of two parts of spend; a cost that only one part tells is kept. */
export function addUsage(left: AgentUsage, right: AgentUsage): AgentUsage {
  const cost =
    left.costUsd === undefined && right.costUsd === undefined
      ? undefined
      : inNanoDollars((left.costUsd ?? 0) + (right.costUsd ?? 0));
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    ...(cost === undefined ? {} : { costUsd: cost }),
    cumulative: false,
  };
}

/** Sums of binary fractions drift; nothing that a provider bills is smaller than this. */
function inNanoDollars(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

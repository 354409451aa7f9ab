import type { AgentUsage } from '#core/agent/outcome.ts';

/**
 * What is new in a report, given what was counted for the same session before (H1): cumulative totals count once.
 * A total below what was counted belongs to a session that began anew, so it counts whole. Never negative.
 */
export function usageSince(counted: AgentUsage | undefined, reported: AgentUsage): AgentUsage {
  if (!reported.cumulative || counted === undefined) return { ...reported, cumulative: false };
  const since = (before: number, now: number): number => (now >= before ? now - before : now);
  return {
    inputTokens: since(counted.inputTokens, reported.inputTokens),
    cachedInputTokens: since(counted.cachedInputTokens, reported.cachedInputTokens),
    outputTokens: since(counted.outputTokens, reported.outputTokens),
    ...(reported.costUsd === undefined ? {} : { costUsd: since(counted.costUsd ?? 0, reported.costUsd) }),
    cumulative: false,
  };
}

/** The sum of two parts of spend; a cost that only one part tells is kept. */
export function addUsage(left: AgentUsage, right: AgentUsage): AgentUsage {
  const cost =
    left.costUsd === undefined && right.costUsd === undefined ? undefined : (left.costUsd ?? 0) + (right.costUsd ?? 0);
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    ...(cost === undefined ? {} : { costUsd: cost }),
    cumulative: false,
  };
}

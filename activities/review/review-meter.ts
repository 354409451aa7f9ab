import type { AgentUsage } from '#core/agent/outcome.ts';
import { addSpend, spendOf } from '#core/agent/price.ts';
import type { ReviewInput } from '#core/contract/activities.ts';
import type { WorkKey } from '#core/contract/work-key.ts';
import type { Spend } from '#core/run/attempt-result.ts';
import { createSpendMeter } from '#activities/attempt/spend-meter.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import type { Task } from '#activities/task.ts';

/** The key under which a review's spend is stored: a step's own keys hold no slash. */
export function reviewKey({ runId, step, pass, round, check }: ReviewInput): WorkKey {
  return { runId, step: `${step}/${check.name}`, pass, attempt: round };
}

/** What a review has cost: all its questions, and those of a try that was broken off before (H1). */
export interface ReviewMeter {
  /** Of the question under way, as its stream tells it. */
  count(usage: AgentUsage): void;
  /** The question ended: what it used is stored. */
  settle(usage: AgentUsage | undefined): Promise<void>;
  spend(): Spend;
}

/** `before`: what was stored of tries that were broken off. Faults: `store/unavailable`, when the task is aborted. */
export function createReviewMeter(deps: HostDeps, key: WorkKey, task: Task, before: Spend): ReviewMeter {
  let spent = before;
  let unsettled: Spend | undefined;
  let meter = createSpendMeter(deps, key, task, spent);
  return {
    count(usage) {
      unsettled = spendOf(usage);
      meter.count(usage);
    },
    async settle(usage) {
      // A process that was ended tells no total: what it was seen to use counts.
      spent = addSpend(spent, usage === undefined ? (unsettled ?? spendOf(usage)) : spendOf(usage));
      unsettled = undefined;
      meter = createSpendMeter(deps, key, task, spent);
      await persist(() => deps.attempts.putSpend(key, deps.hostId, spent), task.signal);
    },
    spend: () => spent,
  };
}

import type { AgentUsage } from '#core/agent/outcome.ts';
import { addSpend, spendOf } from '#core/agent/price.ts';
import { type WorkKey, workKeyText } from '#core/contract/work-key.ts';
import type { Spend } from '#core/run/attempt-result.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import type { Task } from '#activities/task.ts';

const everyMs = 5_000;

/**
 * Spend as it is observed (H1): on every heartbeat, and stored at most every five seconds, so that an attempt that is
 * killed still counts; `before` is what the key had cost already. Storing it is no reason to end the attempt: a database that is away is told and tried again later.
 */
export function createSpendMeter(
  deps: HostDeps,
  key: WorkKey,
  task: Task,
  before?: Spend,
): { count(usage: AgentUsage): void } {
  let storedAt = 0;
  return {
    count(usage) {
      const spend = before === undefined ? spendOf(usage) : addSpend(before, spendOf(usage));
      task.report({ key: workKeyText(key), spend });
      if (Date.now() - storedAt < everyMs) return;
      storedAt = Date.now();
      deps.attempts.putSpend(key, deps.hostId, spend).catch((error: unknown) => {
        deps.log.warn({ err: error, key: workKeyText(key) }, 'the spend so far could not be stored');
      });
    },
  };
}

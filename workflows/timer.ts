import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

export interface Timer {
  /** Makes sure that the law is asked again at `at` (epoch ms) or before. */
  arm(at: number): void;
}

/**
 * One durable timer for all waits of a run. A timer that fires too early is no harm, so a later instant never replaces
 * an earlier one: a limit that moves with each pass costs one timer for the run, not one a pass.
 */
export function createTimer(fired: () => void): Timer {
  let armed: { at: number; scope: CancellationScope } | undefined;

  async function wait(at: number, scope: CancellationScope): Promise<void> {
    try {
      await scope.run(() => sleep(Math.max(1, Math.ceil(at - Date.now()))));
    } catch (error) {
      if (isCancellation(error)) return;
      throw error;
    }
    if (armed?.scope === scope) armed = undefined;
    fired();
  }

  return {
    arm(at) {
      if (armed !== undefined && armed.at <= at) return;
      armed?.scope.cancel();
      const scope = new CancellationScope();
      armed = { at, scope };
      // oxlint-disable-next-line typescript/no-floating-promises -- it ends by firing or by being replaced
      wait(at, scope);
    },
  };
}

import { CancellationScope } from '@temporalio/workflow';

import { type Work, workName } from '#core/run/command.ts';
import { begun, faulted, type Outcome, settled } from '#core/run/settle.ts';
import type { RunFacts } from '#core/run/work-scope.ts';
import { callOf } from '#workflows/call-of.ts';
import { faultOf } from '#workflows/fault.ts';
import type { Log } from '#workflows/log.ts';

export interface InFlight {
  start(work: Work): void;
  cancel(name: string): void;
}

/** Work under way in the world, one piece a name. Whatever settles emits its events; the law decides what they mean. */
export function createInFlight(facts: RunFacts, log: Log): InFlight {
  const scopes = new Map<string, CancellationScope>();

  async function carry(work: Work, call: () => Promise<Outcome>): Promise<void> {
    const name = workName(work);
    const scope = new CancellationScope();
    scopes.set(name, scope);
    try {
      const outcome = await scope.run(call);
      scopes.delete(name);
      for (const event of settled(facts.plan, log.state(), work, outcome, Date.now())) log.emit(event);
    } catch (error) {
      scopes.delete(name);
      for (const event of faulted(log.state(), work, faultOf(error), Date.now())) log.emit(event);
    }
  }

  return {
    start(work) {
      // The input is taken first: `begun` changes what the work starts from.
      const call = callOf(facts, log.state(), work);
      log.emit(begun(work, Date.now()));
      // oxlint-disable-next-line typescript/no-floating-promises -- it never rejects but for a bug, which must fail the task
      carry(work, call);
    },
    cancel: (name) => scopes.get(name)?.cancel(),
  };
}

import type { AgentUsage } from '#core/agent/outcome.ts';
import { addUsage } from '#core/agent/usage.ts';

/** Adds up the usage of single model calls; a call that is told again (same id) replaces what it told before. */
export class UsageMeter {
  #calls = new Map<string, AgentUsage>();

  add(usage: AgentUsage, id = `#${this.#calls.size}`): AgentUsage {
    this.#calls.set(id, usage);
    return this.total ?? usage;
  }

  get total(): AgentUsage | undefined {
    const calls = [...this.#calls.values()];
    return calls.length === 0 ? undefined : calls.reduce(addUsage);
  }
}

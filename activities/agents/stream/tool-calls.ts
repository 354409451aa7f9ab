import type { Progress } from '#activities/agents/adapter.ts';
import { head } from '#core/text/tail.ts';

/** Follows tool calls by id, to know which were refused and whether the last one was (A12). */
export class ToolCalls {
  #names = new Map<string, string>();
  #refused: string[] = [];
  #lastRefused = false;

  started(id: string, name: string): Progress {
    this.#names.set(id, name);
    this.#lastRefused = false;
    return { kind: 'tool', name, state: 'started' };
  }

  ended(id: string, name = this.#names.get(id) ?? 'tool'): Progress {
    this.#names.delete(id);
    this.#lastRefused = false;
    return { kind: 'tool', name, state: 'ended' };
  }

  refused(id: string, detail: string, name = this.#names.get(id) ?? 'tool'): Progress {
    this.#names.delete(id);
    this.#refused.push(detail === '' ? name : `${name}: ${head(detail, 300)}`);
    this.#lastRefused = true;
    return { kind: 'tool', name, state: 'refused' };
  }

  get denials(): string[] {
    return [...this.#refused];
  }

  get permissionStop(): boolean {
    return this.#lastRefused;
  }
}

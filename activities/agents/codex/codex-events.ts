import { z } from 'zod';
import type { AgentExit, AgentUsage } from '#core/agent/outcome.ts';
import type { Progress } from '#activities/agents/adapter.ts';
import { word, amount, record, text } from '#activities/agents/stream/event-fields.ts';
import {
  type EventReader,
  failureSignal,
  type StreamSummary,
  sessionProgress,
  textProgress,
} from '#activities/agents/stream/event-stream.ts';
import type { ErrorSignal } from '#activities/agents/stream/error-signal.ts';

const CodexEvent = z.object({
  type: word,
  thread_id: text,
  message: text,
  item: record({ id: text, type: text, text, command: text }),
  usage: record({ input_tokens: amount, cached_input_tokens: amount, output_tokens: amount }),
  error: record({ message: text }),
});
type CodexEvent = z.infer<typeof CodexEvent>;

/** Reads `codex exec --json`. A command that Codex's own sandbox refused leaves no event, so there are no denials here. */
export class CodexEvents implements EventReader {
  #sessionId: string | undefined;
  #finalText: string | undefined;
  #usage: AgentUsage | undefined;
  #terminal = false;
  #error: ErrorSignal | undefined;
  /** Top-level errors are not fatal while Codex reconnects; the last one explains an end without a terminal event. */
  #lastError: string | undefined;

  read(raw: Record<string, unknown>): Progress[] {
    const event = CodexEvent.parse(raw);
    switch (event.type) {
      case 'thread.started':
        this.#sessionId = event.thread_id;
        return sessionProgress(event.thread_id);
      case 'item.started':
      case 'item.completed':
        return this.#item(event);
      case 'turn.completed':
        return this.#completed(event);
      case 'turn.failed':
        this.#terminal = true;
        this.#error = { message: event.error?.message ?? 'Codex reported a failed turn without a reason.' };
        return [{ kind: 'end' }];
      case 'error':
        this.#lastError = event.message;
        return [{ kind: 'notice', text: event.message ?? 'error' }];
      default:
        return [];
    }
  }

  #item({ type, item }: CodexEvent): Progress[] {
    const itemType = item?.type;
    if (itemType === undefined || itemType === 'reasoning') return [];
    if (itemType === 'error') return [{ kind: 'notice', text: item?.text ?? 'warning' }];
    if (itemType !== 'agent_message') {
      return [{ kind: 'tool', name: itemType, state: type === 'item.started' ? 'started' : 'ended' }];
    }
    if (type !== 'item.completed' || item?.text === undefined) return [];
    this.#finalText = item.text;
    return textProgress(item.text);
  }

  #completed({ usage }: CodexEvent): Progress[] {
    this.#terminal = true;
    if (usage === undefined) return [{ kind: 'end' }];
    // Totals of the thread, earlier resumes included.
    this.#usage = {
      inputTokens: usage.input_tokens,
      cachedInputTokens: usage.cached_input_tokens,
      outputTokens: usage.output_tokens,
      cumulative: true,
    };
    return [{ kind: 'usage', usage: this.#usage }, { kind: 'end' }];
  }

  summary(): StreamSummary {
    return {
      sessionId: this.#sessionId,
      finalText: this.#finalText,
      usage: this.#usage,
      terminal: this.#terminal,
      error: this.#error,
      denials: [],
      permissionStop: false,
    };
  }

  lastWords(words: string, exit: AgentExit): ErrorSignal | undefined {
    if (this.#lastError !== undefined && exit.exitCode !== 0) return { message: this.#lastError };
    return failureSignal(words, exit, {
      sessionLost: /no rollout found|thread\/resume failed|no session found/i,
      badRequest: /Not inside a trusted directory|unexpected argument|cannot be used multiple times/,
      noise: /^WARNING: proceeding|^Reading additional input from stdin/,
    });
  }
}

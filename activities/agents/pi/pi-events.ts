import { z } from 'zod';
import type { AgentExit } from '#core/agent/outcome.ts';
import type { Progress } from '#activities/agents/adapter.ts';
import type { ErrorSignal } from '#activities/agents/stream/error-signal.ts';
import { word, amount, flag, list, record, text } from '#activities/agents/stream/event-fields.ts';
import {
  type EventReader,
  failureSignal,
  type StreamSummary,
  sessionProgress,
  textProgress,
} from '#activities/agents/stream/event-stream.ts';
import { ToolCalls } from '#activities/agents/stream/tool-calls.ts';
import { UsageMeter } from '#activities/agents/stream/usage-meter.ts';

const PiEvent = z.object({
  type: word,
  id: text,
  toolName: word,
  toolCallId: word,
  errorMessage: text,
  willRetry: flag,
  aborted: flag,
  message: record({
    role: text,
    content: list(z.object({ type: text, text })),
    stopReason: text,
    errorMessage: text,
    usage: record({
      input: amount,
      output: amount,
      cacheRead: amount,
      cacheWrite: amount,
      cost: record({ total: amount }),
    }),
  }),
});
type PiEvent = z.infer<typeof PiEvent>;
type Message = NonNullable<PiEvent['message']>;

/** Reads `pi --mode json`. Pi exits 0 when the model failed: only its last message tells. */
export class PiEvents implements EventReader {
  #sessionId: string | undefined;
  #finalText: string | undefined;
  #terminal = false;
  #error: ErrorSignal | undefined;
  readonly #calls = new ToolCalls();
  readonly #meter = new UsageMeter();

  read(raw: Record<string, unknown>): Progress[] {
    const event = PiEvent.parse(raw);
    switch (event.type) {
      case 'session':
        this.#sessionId = event.id;
        return sessionProgress(event.id);
      case 'message_end':
        return event.message?.role === 'assistant' ? this.#assistant(event.message) : [];
      case 'tool_execution_start':
        return [this.#calls.started(event.toolCallId, event.toolName)];
      case 'tool_execution_end':
        return [this.#calls.ended(event.toolCallId)];
      case 'auto_retry_start':
        this.#terminal = false;
        return [{ kind: 'notice', text: event.errorMessage ?? 'trying again' }];
      case 'agent_end':
      case 'agent_settled':
        return this.#end(event);
      default:
        return [];
    }
  }

  #assistant({ content, stopReason, errorMessage, usage }: Message): Progress[] {
    const words = content
      .flatMap((part) => (part.type === 'text' && part.text !== undefined ? [part.text] : []))
      .join('');
    const failed = stopReason === 'error' || stopReason === 'aborted';
    // A later message replaces an error: Pi tries again by itself.
    this.#error = failed
      ? {
          message: errorMessage ?? `Pi stopped: ${stopReason}.`,
          class: stopReason === 'aborted' ? 'aborted' : undefined,
        }
      : undefined;
    if (failed) this.#finalText = undefined;
    else if (words !== '') this.#finalText = words;
    const progress = textProgress(words);
    if (usage === undefined) return progress;
    const total = this.#meter.add({
      inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
      cachedInputTokens: usage.cacheRead,
      outputTokens: usage.output,
      costUsd: usage.cost?.total ?? 0,
      cumulative: false,
    });
    return [...progress, { kind: 'usage', usage: total }];
  }

  /** Version 0.x ends with `agent_end`; since 1.0 that one repeats with `willRetry`, and `agent_settled` is the end. */
  #end({ type, willRetry, aborted }: PiEvent): Progress[] {
    if (type === 'agent_end' && willRetry === true) return [];
    this.#terminal = true;
    if (aborted === true) this.#error ??= { message: 'Pi was interrupted.', class: 'aborted' };
    return [{ kind: 'end' }];
  }

  summary(): StreamSummary {
    return {
      sessionId: this.#sessionId,
      finalText: this.#finalText,
      usage: this.#meter.total,
      terminal: this.#terminal,
      error: this.#error,
      denials: this.#calls.denials,
      permissionStop: this.#calls.permissionStop,
    };
  }

  lastWords(words: string, exit: AgentExit): ErrorSignal | undefined {
    return failureSignal(words, exit, {
      // From another directory Pi asks whether to fork the session, gets no answer and exits 0.
      sessionLost: /No session found matching|Session found in different project/i,
      badRequest: /enableCompileCache|Unknown option|No models? (?:available|match)/i,
      noise: /^Warning: No project session found with id/,
    });
  }
}

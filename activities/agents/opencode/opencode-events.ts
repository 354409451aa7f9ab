import { z } from 'zod';
import type { AgentExit } from '#core/agent/outcome.ts';
import type { Progress } from '#activities/agents/adapter.ts';
import type { ErrorSignal } from '#activities/agents/stream/error-signal.ts';
import { word, amount, record, status, text } from '#activities/agents/stream/event-fields.ts';
import {
  type EventReader,
  failureSignal,
  type StreamSummary,
  textProgress,
} from '#activities/agents/stream/event-stream.ts';
import { ToolCalls } from '#activities/agents/stream/tool-calls.ts';
import { UsageMeter } from '#activities/agents/stream/usage-meter.ts';

const OpencodeEvent = z.object({
  type: word,
  sessionID: text,
  part: record({
    text,
    reason: text,
    tool: text,
    callID: text,
    state: record({ status: text, error: text, input: record({ command: text, filePath: text }) }),
    tokens: record({
      input: amount,
      output: amount,
      reasoning: amount,
      cache: record({ read: amount, write: amount }),
    }),
    cost: amount,
  }),
  error: record({
    name: text,
    data: record({ message: text, statusCode: status, responseHeaders: record({ 'retry-after': text }) }),
  }),
});
type OpencodeEvent = z.infer<typeof OpencodeEvent>;
type Part = NonNullable<OpencodeEvent['part']>;

const refusal = /rejected permission|rule which prevents/i;

/** Reads `opencode run --format json`. */
export class OpencodeEvents implements EventReader {
  #sessionId: string | undefined;
  #finalText: string | undefined;
  #terminal = false;
  #error: ErrorSignal | undefined;
  readonly #calls = new ToolCalls();
  readonly #meter = new UsageMeter();

  read(raw: Record<string, unknown>): Progress[] {
    const event = OpencodeEvent.parse(raw);
    const started: Progress[] = [];
    if (this.#sessionId === undefined && event.sessionID !== undefined) {
      this.#sessionId = event.sessionID;
      started.push({ kind: 'session', sessionId: event.sessionID });
    }
    return [...started, ...this.#one(event)];
  }

  #one({ type, part, error }: OpencodeEvent): Progress[] {
    if (type === 'error') return this.#failed(error);
    if (part === undefined) return [];
    switch (type) {
      case 'text':
        this.#finalText = part.text;
        return textProgress(part.text ?? '');
      case 'tool_use':
        return [this.#tool(part)];
      case 'step_finish':
        return this.#step(part);
      default:
        return [];
    }
  }

  #failed(error: OpencodeEvent['error']): Progress[] {
    this.#terminal = true;
    const data = error?.data;
    this.#error = {
      message: data?.message ?? error?.name ?? 'OpenCode reported an error without a reason.',
      status: data?.statusCode,
      retryAfter: data?.responseHeaders?.['retry-after'],
    };
    return [{ kind: 'end' }];
  }

  /** Tools are told once, when they ended. */
  #tool({ tool = 'tool', callID = '', state }: Part): Progress {
    if (state?.status === 'error' && refusal.test(state.error ?? '')) {
      return this.#calls.refused(callID, state.input?.command ?? state.input?.filePath ?? '', tool);
    }
    return this.#calls.ended(callID, tool);
  }

  #step({ reason, tokens, cost }: Part): Progress[] {
    // A step that ended for tool calls is followed by another: only the last one ends the turn.
    this.#terminal = reason !== undefined && reason !== 'tool-calls';
    const end: Progress[] = this.#terminal ? [{ kind: 'end' }] : [];
    if (tokens === undefined) return end;
    const cached = tokens.cache?.read ?? 0;
    const usage = this.#meter.add({
      inputTokens: tokens.input + cached + (tokens.cache?.write ?? 0),
      cachedInputTokens: cached,
      outputTokens: tokens.output + tokens.reasoning,
      costUsd: cost,
      cumulative: false,
    });
    return [{ kind: 'usage', usage }, ...end];
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
    return failureSignal(words, exit, { sessionLost: /Session not found/i, noise: /level=(?:INFO|DEBUG|WARN)/ });
  }
}

import { z } from 'zod';
import type { AgentExit } from '#core/agent/outcome.ts';
import type { Progress } from '#activities/agents/adapter.ts';
import type { ErrorSignal } from '#activities/agents/stream/error-signal.ts';
import { word, flag, list, record, text } from '#activities/agents/stream/event-fields.ts';
import {
  type EventReader,
  failureSignal,
  type StreamSummary,
  textProgress,
} from '#activities/agents/stream/event-stream.ts';
import { ToolCalls } from '#activities/agents/stream/tool-calls.ts';

const CursorEvent = z.object({
  type: word,
  subtype: text,
  session_id: text,
  call_id: text,
  tool_call: z.record(z.string(), z.unknown()).optional().catch(undefined),
  message: record({ content: list(z.object({ type: text, text })) }),
  is_error: flag,
  result: text,
});
type CursorEvent = z.infer<typeof CursorEvent>;

/** Reads `cursor-agent --print --output-format stream-json`. Failures are plain words on stderr. */
export class CursorEvents implements EventReader {
  #sessionId: string | undefined;
  #finalText: string | undefined;
  #terminal = false;
  #error: ErrorSignal | undefined;
  readonly #calls = new ToolCalls();

  read(raw: Record<string, unknown>): Progress[] {
    const event = CursorEvent.parse(raw);
    const started: Progress[] = [];
    if (this.#sessionId === undefined && event.session_id !== undefined) {
      this.#sessionId = event.session_id;
      started.push({ kind: 'session', sessionId: event.session_id });
    }
    return [...started, ...this.#one(event)];
  }

  #one(event: CursorEvent): Progress[] {
    switch (event.type) {
      case 'assistant':
        return (event.message?.content ?? []).flatMap((part) => textProgress(part.text ?? ''));
      case 'tool_call':
        return [this.#tool(event)];
      case 'result':
        this.#terminal = true;
        if (event.is_error === true || event.subtype !== 'success') {
          this.#error = { message: event.result ?? `Cursor's result is ${event.subtype ?? 'an error'}.` };
        } else this.#finalText = event.result;
        return [{ kind: 'end' }];
      default:
        return [];
    }
  }

  #tool({ subtype, call_id: id = '', tool_call: call = {} }: CursorEvent): Progress {
    const name = Object.keys(call)[0] ?? 'tool';
    if (subtype === 'started') return this.#calls.started(id, name);
    const refused = JSON.stringify(call).includes('"rejected"');
    return refused ? this.#calls.refused(id, '', name) : this.#calls.ended(id, name);
  }

  summary(): StreamSummary {
    return {
      sessionId: this.#sessionId,
      finalText: this.#finalText,
      usage: undefined,
      terminal: this.#terminal,
      error: this.#error,
      denials: this.#calls.denials,
      permissionStop: this.#calls.permissionStop,
    };
  }

  lastWords(words: string, exit: AgentExit): ErrorSignal | undefined {
    return failureSignal(words, exit, {
      sessionLost: /(?:chat|session|conversation)\b.*\bnot found/i,
      badRequest: /unknown option|Cannot use this model|invalid model/i,
    });
  }
}

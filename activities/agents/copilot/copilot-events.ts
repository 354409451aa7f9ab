import { z } from 'zod';
import type { AgentExit } from '#core/agent/outcome.ts';
import type { Progress } from '#activities/agents/adapter.ts';
import type { ErrorSignal } from '#activities/agents/stream/error-signal.ts';
import { word, flag, record, status, text } from '#activities/agents/stream/event-fields.ts';
import {
  type EventReader,
  failureSignal,
  type StreamSummary,
  sessionProgress,
  textProgress,
} from '#activities/agents/stream/event-stream.ts';
import { ToolCalls } from '#activities/agents/stream/tool-calls.ts';

const CopilotEvent = z.object({
  type: word,
  sessionId: text,
  exitCode: status,
  data: record({
    content: text,
    toolCallId: word,
    toolName: word,
    success: flag,
    error: record({ code: text, message: text }),
    message: text,
    errorType: text,
    statusCode: status,
    reason: text,
  }),
});
type CopilotEvent = z.infer<typeof CopilotEvent>;
type Data = NonNullable<CopilotEvent['data']>;

/** Reads `copilot --output-format json`. It tells its session only at the end, and no tokens. */
export class CopilotEvents implements EventReader {
  #sessionId: string | undefined;
  #finalText: string | undefined;
  #terminal = false;
  #error: ErrorSignal | undefined;
  readonly #calls = new ToolCalls();

  read(raw: Record<string, unknown>): Progress[] {
    const event = CopilotEvent.parse(raw);
    if (event.type === 'result') return this.#result(event);
    return event.data === undefined ? [] : this.#one(event.type, event.data);
  }

  #one(type: string, data: Data): Progress[] {
    switch (type) {
      case 'assistant.message':
        // A message that only asks for tools has no content.
        if (data.content !== '') this.#finalText = data.content ?? this.#finalText;
        return textProgress(data.content ?? '');
      case 'assistant.turn_retry':
        return [{ kind: 'notice', text: `trying again: ${data.reason ?? 'provider error'}` }];
      case 'tool.execution_start':
        return [this.#calls.started(data.toolCallId, data.toolName)];
      case 'tool.execution_complete':
        return [this.#toolEnded(data)];
      case 'session.error':
        this.#error = {
          message: data.message ?? 'Copilot reported an error without a reason.',
          status: data.statusCode,
        };
        return [{ kind: 'notice', text: this.#error.message }];
      default:
        return [];
    }
  }

  #toolEnded({ toolCallId: id, success, error }: Data): Progress {
    const refused = success === false && /denied|permission/i.test(`${error?.code} ${error?.message}`);
    return refused ? this.#calls.refused(id, error?.message ?? '') : this.#calls.ended(id);
  }

  #result({ sessionId, exitCode }: CopilotEvent): Progress[] {
    this.#terminal = true;
    this.#sessionId = sessionId;
    if (exitCode !== undefined && exitCode !== 0) {
      this.#error ??= { message: `Copilot's result says exit ${exitCode}.`, class: 'crash' };
    }
    return [...sessionProgress(sessionId), { kind: 'end' }];
  }

  summary(): StreamSummary {
    return {
      sessionId: this.#sessionId,
      finalText: this.#finalText,
      usage: undefined,
      terminal: this.#terminal,
      error: this.#terminal ? this.#error : undefined,
      denials: this.#calls.denials,
      permissionStop: this.#calls.permissionStop,
    };
  }

  lastWords(words: string, exit: AgentExit): ErrorSignal | undefined {
    if (this.#error !== undefined && exit.exitCode !== 0) return this.#error;
    return failureSignal(words, exit, {
      sessionLost: /No session, task, or name matched/i,
      badRequest: /unknown option/i,
    });
  }
}

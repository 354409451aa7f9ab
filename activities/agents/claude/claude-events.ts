import { z } from 'zod';
import type { AgentErrorClass, AgentExit, AgentUsage } from '#core/agent/outcome.ts';
import type { Progress } from '#activities/agents/adapter.ts';
import type { ErrorSignal } from '#activities/agents/stream/error-signal.ts';
import { word, amount, flag, list, record, status, text } from '#activities/agents/stream/event-fields.ts';
import {
  type EventReader,
  failureSignal,
  type StreamSummary,
  textProgress,
} from '#activities/agents/stream/event-stream.ts';
import { ToolCalls } from '#activities/agents/stream/tool-calls.ts';
import { UsageMeter } from '#activities/agents/stream/usage-meter.ts';
import { head } from '#core/text/tail.ts';

const Usage = record({
  input_tokens: amount,
  cache_creation_input_tokens: amount,
  cache_read_input_tokens: amount,
  output_tokens: amount,
});

const ModelUsage = z.object({
  inputTokens: amount,
  outputTokens: amount,
  cacheReadInputTokens: amount,
  cacheCreationInputTokens: amount,
});

const Denial = z.object({ tool_name: text, tool_use_id: text, tool_input: record({ command: text, file_path: text }) });

const ClaudeEvent = z.object({
  type: word,
  subtype: text,
  session_id: text,
  attempt: status,
  error_status: status,
  message: record({
    id: text,
    content: list(z.object({ type: text, text, id: text, name: text, tool_use_id: text })),
    usage: Usage,
  }),
  is_error: flag,
  terminal_reason: text,
  api_error_status: status,
  result: text,
  errors: list(z.string()),
  usage: Usage,
  modelUsage: z.record(z.string(), ModelUsage).catch({}),
  total_cost_usd: z.number().nonnegative().optional().catch(undefined),
  permission_denials: list(Denial),
});
type ClaudeEvent = z.infer<typeof ClaudeEvent>;

/** Reads `claude -p --output-format stream-json` (and the single object of `json`). */
export class ClaudeEvents implements EventReader {
  #sessionId: string | undefined;
  #finalText: string | undefined;
  #usage: AgentUsage | undefined;
  #terminal = false;
  #error: ErrorSignal | undefined;
  #denied: z.infer<typeof Denial>[] = [];
  #lastToolId: string | undefined;
  readonly #calls = new ToolCalls();
  readonly #meter = new UsageMeter();

  read(raw: Record<string, unknown>): Progress[] {
    const event = ClaudeEvent.parse(raw);
    const started: Progress[] = [];
    if (this.#sessionId === undefined && event.session_id !== undefined) {
      this.#sessionId = event.session_id;
      started.push({ kind: 'session', sessionId: event.session_id });
    }
    return [...started, ...this.#one(event)];
  }

  #one(event: ClaudeEvent): Progress[] {
    switch (event.type) {
      case 'system':
        if (event.subtype !== 'api_retry') return [];
        return [
          { kind: 'notice', text: `provider answered ${event.error_status ?? 'nothing'}, try ${event.attempt ?? '?'}` },
        ];
      case 'assistant':
        return this.#assistant(event);
      case 'user':
        return (event.message?.content ?? [])
          .filter((part) => part.type === 'tool_result')
          .map((part) => this.#calls.ended(part.tool_use_id ?? ''));
      case 'result':
        return this.#result(event);
      default:
        return [];
    }
  }

  #assistant({ message }: ClaudeEvent): Progress[] {
    const progress = (message?.content ?? []).flatMap((part): Progress[] => {
      if (part.type === 'text') return textProgress(part.text ?? '');
      if (part.type !== 'tool_use') return [];
      this.#lastToolId = part.id;
      return [this.#calls.started(part.id ?? '', part.name ?? 'tool')];
    });
    if (message?.usage === undefined) return progress;
    // One message is told in several events, each with the same id.
    return [...progress, { kind: 'usage', usage: this.#meter.add(tokens(message.usage), message.id) }];
  }

  #result(event: ClaudeEvent): Progress[] {
    this.#terminal = true;
    this.#usage = sessionTotals(event);
    this.#denied = event.permission_denials;
    const failed = event.is_error === true || event.subtype?.startsWith('error') === true;
    if (failed) this.#error = errorOf(event);
    else this.#finalText = event.result;
    return [{ kind: 'usage', usage: this.#usage }, { kind: 'end' }];
  }

  summary(): StreamSummary {
    const last = this.#lastToolId;
    return {
      sessionId: this.#sessionId,
      finalText: this.#finalText,
      usage: this.#usage ?? this.#meter.total,
      terminal: this.#terminal,
      error: this.#error,
      denials: this.#denied.map(described),
      // In `json` output no tool call was seen, so a refusal may have been the last: it counts as a stop.
      permissionStop: this.#denied.some((denial) => last === undefined || denial.tool_use_id === last),
    };
  }

  lastWords(words: string, exit: AgentExit): ErrorSignal | undefined {
    return failureSignal(words, exit, failureWords);
  }
}

const failureWords = {
  sessionLost: /No conversation found with session ID/i,
  sessionExists: /Session ID \S+ is already in use/i,
  badRequest: /cannot be used with root|unknown option|Invalid (?:session|model)/i,
};

const reasonClasses: Readonly<Record<string, AgentErrorClass>> = {
  max_turns: 'limit',
  budget_exhausted: 'limit',
  aborted_tools: 'aborted',
  aborted_streaming: 'aborted',
};

/** `subtype` says "success" for API errors too, so it is not asked. */
function errorOf(event: ClaudeEvent): ErrorSignal {
  const told = event.result ?? event.errors.join('\n');
  const message = told || event.subtype || 'Claude reported an error without a reason.';
  return {
    message,
    status: event.api_error_status,
    class: reasonClasses[event.terminal_reason ?? ''] ?? sessionClass(message),
  };
}

/** With `stream-json` a lost session is a result event, with `json` only words on stderr. */
function sessionClass(message: string): AgentErrorClass | undefined {
  if (failureWords.sessionLost.test(message)) return 'session_lost';
  return failureWords.sessionExists.test(message) ? 'session_exists' : undefined;
}

function tokens(usage: NonNullable<z.infer<typeof Usage>>): AgentUsage {
  return {
    inputTokens: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    cachedInputTokens: usage.cache_read_input_tokens,
    outputTokens: usage.output_tokens,
    cumulative: false,
  };
}

/** `modelUsage` and the cost are totals of the session across resumes; `usage` is this process only. */
function sessionTotals(event: ClaudeEvent): AgentUsage {
  const models = Object.values(event.modelUsage);
  const totals: AgentUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, cumulative: true };
  for (const model of models) {
    totals.inputTokens += model.inputTokens + model.cacheReadInputTokens + model.cacheCreationInputTokens;
    totals.cachedInputTokens += model.cacheReadInputTokens;
    totals.outputTokens += model.outputTokens;
  }
  const counted =
    models.length > 0 || event.usage === undefined ? totals : { ...tokens(event.usage), cumulative: true };
  return event.total_cost_usd === undefined ? counted : { ...counted, costUsd: event.total_cost_usd };
}

function described({ tool_name: tool, tool_input: input }: z.infer<typeof Denial>): string {
  const detail = input?.command ?? input?.file_path;
  return detail === undefined ? (tool ?? 'tool') : `${tool ?? 'tool'}: ${head(detail, 300)}`;
}

import { z } from 'zod';
import type { AgentExit, AgentUsage } from '#core/agent/outcome.ts';
import type { Progress } from '#activities/agents/adapter.ts';
import type { ErrorSignal } from '#activities/agents/stream/error-signal.ts';
import { word, amount, record, status, text } from '#activities/agents/stream/event-fields.ts';
import {
  type EventReader,
  failureSignal,
  type StreamSummary,
  sessionProgress,
  textProgress,
} from '#activities/agents/stream/event-stream.ts';
import { ToolCalls } from '#activities/agents/stream/tool-calls.ts';

const Stats = record({
  input_tokens: amount,
  cached: amount,
  output_tokens: amount,
  models: z
    .record(
      z.string(),
      z.object({ tokens: record({ prompt: amount, candidates: amount, cached: amount, thoughts: amount }) }),
    )
    .catch({}),
});

const GeminiEvent = z.object({
  type: word,
  session_id: text,
  role: text,
  content: text,
  tool_name: word,
  tool_id: word,
  status: text,
  error: record({ type: text, message: text, code: status }),
  response: text,
  stats: Stats,
});
type GeminiEvent = z.infer<typeof GeminiEvent>;

/** Reads `gemini --output-format stream-json`, and the one document of `json`. */
export class GeminiEvents implements EventReader {
  #sessionId: string | undefined;
  #finalText = '';
  #usage: AgentUsage | undefined;
  #terminal = false;
  #error: ErrorSignal | undefined;
  readonly #calls = new ToolCalls();

  read(raw: Record<string, unknown>): Progress[] {
    const event = GeminiEvent.parse(raw);
    switch (event.type) {
      case 'init':
        this.#sessionId = event.session_id;
        return sessionProgress(event.session_id);
      case 'message':
        return event.role === 'assistant' ? this.#said(event.content ?? '') : [];
      case 'tool_use':
        // What it said before a tool call is no final answer.
        this.#finalText = '';
        return [this.#calls.started(event.tool_id, event.tool_name)];
      case 'tool_result':
        return [this.#toolResult(event)];
      case 'result':
        return this.#result(event);
      case '':
        return event.stats === undefined && event.error === undefined ? [] : this.#document(event);
      default:
        return [];
    }
  }

  #said(words: string): Progress[] {
    this.#finalText += words;
    return textProgress(words);
  }

  #toolResult({ tool_id: id, error }: GeminiEvent): Progress {
    return error?.type === 'policy_violation' ? this.#calls.refused(id, '') : this.#calls.ended(id);
  }

  #result(event: GeminiEvent): Progress[] {
    this.#terminal = true;
    const { stats } = event;
    if (event.status === 'error' || event.error !== undefined) this.#error = errorOf(event);
    if (stats === undefined) return [{ kind: 'end' }];
    this.#usage = {
      inputTokens: stats.input_tokens,
      cachedInputTokens: stats.cached,
      outputTokens: stats.output_tokens,
      cumulative: false,
    };
    return [{ kind: 'usage', usage: this.#usage }, { kind: 'end' }];
  }

  #document(event: GeminiEvent): Progress[] {
    this.#terminal = true;
    this.#sessionId = event.session_id;
    this.#finalText = event.response ?? '';
    if (event.error !== undefined) this.#error = errorOf(event);
    if (event.stats !== undefined) this.#usage = modelTotals(event.stats);
    return [{ kind: 'end' }];
  }

  summary(): StreamSummary {
    return {
      sessionId: this.#sessionId,
      finalText: this.#finalText === '' ? undefined : this.#finalText,
      usage: this.#usage,
      terminal: this.#terminal,
      error: this.#error,
      denials: this.#calls.denials,
      permissionStop: this.#calls.permissionStop,
    };
  }

  lastWords(words: string, exit: AgentExit): ErrorSignal | undefined {
    const httpStatus = statusOfExit(exit.exitCode) ?? statusOfWords(words);
    if (httpStatus !== undefined && (this.#triedInVain(exit) || (exit.exitCode ?? 0) !== 0)) {
      return { message: words, status: httpStatus };
    }
    const signal = failureSignal(words, exit, { sessionLost: /Error resuming session|Invalid session identifier/i });
    return exit.exitCode === 41 && signal !== undefined ? { ...signal, class: 'auth' } : signal;
  }

  /** Gemini tries a failing provider for minutes; ended while it did so, the provider is the cause. */
  #triedInVain({ exitCode, endedBy }: AgentExit): boolean {
    if (endedBy === 'terminal_event') return true;
    return exitCode === null && endedBy !== 'itself' && this.#finalText === '';
  }
}

function statusOfWords(words: string): number | undefined {
  const said = /(?:^ {2}status: |^ {4}"code": |failed with status )(\d{3})\b/m.exec(words)?.[1];
  return said === undefined ? undefined : Number(said);
}

/** Gemini exits with the provider's HTTP status, of which a process keeps the low eight bits: 145 is 401. */
function statusOfExit(exitCode: number | null): number | undefined {
  if (exitCode === null || exitCode < 128) return undefined;
  const httpStatus = exitCode + 256;
  return httpStatus >= 400 && httpStatus < 512 ? httpStatus : undefined;
}

function modelTotals({ models }: NonNullable<GeminiEvent['stats']>): AgentUsage {
  const usage: AgentUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, cumulative: false };
  for (const { tokens } of Object.values(models)) {
    if (tokens === undefined) continue;
    usage.inputTokens += tokens.prompt;
    usage.cachedInputTokens += tokens.cached;
    usage.outputTokens += tokens.candidates + tokens.thoughts;
  }
  return usage;
}

function errorOf({ error }: GeminiEvent): ErrorSignal {
  return {
    message: error?.message ?? error?.type ?? 'Gemini reported an error without a reason.',
    status: error?.code,
  };
}

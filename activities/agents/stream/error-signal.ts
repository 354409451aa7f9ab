import { normaliseText } from '#core/text/normalise.ts';
import type { AgentError, AgentErrorClass } from '#core/agent/outcome.ts';
import { resetTime } from '#activities/agents/stream/reset-time.ts';
import { head } from '#core/text/tail.ts';

/** What a CLI's own error event, or its last words on a failed exit, said. */
export interface ErrorSignal {
  message: string;
  /** HTTP status from the provider. */
  status?: number | undefined;
  /** The provider's Retry-After header. */
  retryAfter?: string | undefined;
  /** When the CLI names the class itself. */
  class?: AgentErrorClass | undefined;
}

const maxMessageCharacters = 2_000;

export function agentError(signal: ErrorSignal, now: number): AgentError {
  const message = readableMessage(signal.message);
  const errorClass = signal.class ?? classOf(signal);
  const reset =
    errorClass === 'quota' || errorClass === 'overload' ? resetTime(signal.message, now, signal.retryAfter) : {};
  return { class: errorClass, message: head(message, maxMessageCharacters), ...reset };
}

function classOf({ status, message }: ErrorSignal): AgentErrorClass {
  // An empty account is told as a bad or forbidden request.
  if (status !== undefined && status < 404 && /credit balance|out of credits|usage limit/i.test(message))
    return 'quota';
  return classOfStatus(status) ?? classOfMessage(message);
}

function classOfStatus(status: number | undefined): AgentErrorClass | undefined {
  if (status === undefined) return undefined;
  if (status === 401 || status === 403) return 'auth';
  if (status === 402 || status === 429) return 'quota';
  if (status === 408 || (status >= 500 && status < 600)) return 'overload';
  return status >= 400 && status < 500 ? 'bad_request' : undefined;
}

/** In this order: a message about a limit may also hold the word "invalid", never the other way round. */
const wordings: readonly (readonly [AgentErrorClass, RegExp])[] = [
  [
    'quota',
    /rate[_ ]limit|usage limit|hit your .*limit|limit reached|insufficient_quota|exceeded your .*quota|RESOURCE_EXHAUSTED|too many requests|out of credits/i,
  ],
  [
    'auth',
    /authentication|unauthori[sz]ed|permission_error|not (?:logged|signed) in|invalid (?:api|x-api)[ -]?key|api key (?:not|is not|missing)|missing environment variable|please (?:run \S*login|log ?in|sign in)|login required|invalid auth method|token (?:has )?expired/i,
  ],
  [
    'overload',
    /overloaded|api_error|server[_ ]error|service unavailable|bad gateway|gateway timeout|high demand|at capacity|connection (?:error|dropped|refused|reset|closed)|disconnected|stream (?:closed|error)|request timed out|ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|UND_ERR|fetch failed|network error/i,
  ],
  [
    'bad_request',
    /invalid_request|not_found_error|bad request|model .*(?:not found|not exist|not supported|unknown)|unknown model|context (?:length|window)|prompt is too long/i,
  ],
];

function classOfMessage(message: string): AgentErrorClass {
  const status = /(?:\bstatus:?|\bHTTP|API Error:|\berror:?|^)\s*\(?(4\d\d|5\d\d)\b/i.exec(message)?.[1];
  const byStatus = classOfStatus(status === undefined ? undefined : Number(status));
  if (byStatus !== undefined) return byStatus;
  return wordings.find(([, words]) => words.test(message))?.[0] ?? 'crash';
}

/** Some CLIs hand the provider's JSON body on as their message, even twice quoted: its own `message` is for people. */
function readableMessage(message: string): string {
  const plain = normaliseText(message).replaceAll('\\"', '"');
  const inner = /"message"\s*:\s*"((?:[^"\\{]|\\.)*)"/.exec(plain)?.[1];
  const type = /"type"\s*:\s*"(\w*_error)"/.exec(plain)?.[1];
  if (inner === undefined || inner === '') return normaliseText(message).trim();
  return type === undefined ? inner : `${type}: ${inner}`;
}

import { z } from 'zod';
import { Fault } from '#core/contract/fault.ts';
import type { AgentExit } from '#core/agent/outcome.ts';
import type { AgentAdapter, AgentInvocation, AgentRequest, CustomAgent, Progress } from '#activities/agents/adapter.ts';
import { promptFile, requireArgumentSize } from '#activities/agents/prompt-delivery.ts';
import type { ErrorSignal } from '#activities/agents/stream/error-signal.ts';
import { flag, text } from '#activities/agents/stream/event-fields.ts';
import {
  type EventReader,
  eventStreamParser,
  failureSignal,
  type StreamSummary,
} from '#activities/agents/stream/event-stream.ts';
import { textStreamParser } from '#activities/agents/text-stream.ts';

/** The agent that a definition spells out: `{name: custom, command, prompt, output}`. */
export const custom: AgentAdapter = {
  name: 'custom',
  program: '',
  invoke: (request) => {
    const command = request.custom;
    if (command === undefined || command.command.length === 0) {
      throw new Fault(
        'agent/bad-request',
        'The agent "custom" has no command. Give it one: {name: custom, command: [program, argument]}.',
      );
    }
    return harnessInvocation('custom', request, command);
  },
  parser: (options) =>
    options.output === 'json' ? eventStreamParser(new CustomEvents(), options.now) : textStreamParser(options),
  secretNames: [],
  reportsUsage: 'none',
  resumable: false,
  takesSessionId: false,
  endsAtTerminalEvent: false,
};

/**
 * How a harness is started from its command and its way to take the prompt.
 * `argument` and `file` add one last argument: the prompt itself, or the path of a file that holds it.
 */
export function harnessInvocation(
  name: string,
  request: AgentRequest,
  harness: Omit<CustomAgent, 'output'>,
): AgentInvocation {
  const [program = '', ...rest] = harness.command;
  const path = promptFile(request.home, request.pass);
  if (harness.prompt === 'argument') requireArgumentSize(name, request.prompt);
  const last = { stdin: [], argument: [request.prompt], file: [path] }[harness.prompt];
  return {
    argv: [request.executable ?? program, ...rest, ...last],
    env: { HOME: request.home },
    ...(harness.prompt === 'stdin' ? { stdin: request.prompt } : {}),
    files: harness.prompt === 'file' ? [{ path, content: request.prompt }] : [],
    variableNames: [],
    signInFiles: [],
  };
}

const CustomEvent = z.object({
  result: text,
  text,
  response: text,
  session_id: text,
  is_error: flag,
  error: z.unknown().optional(),
});
type CustomEvent = z.infer<typeof CustomEvent>;

/** `output: json`: the last JSON object on stdout, one on a line or one document, with `result`, `text` or `response`. */
class CustomEvents implements EventReader {
  #last: CustomEvent | undefined;

  read(raw: Record<string, unknown>): Progress[] {
    this.#last = CustomEvent.parse(raw);
    return [{ kind: 'notice', text: 'event' }];
  }

  summary(): StreamSummary {
    const last = this.#last;
    const error = last === undefined ? undefined : errorOf(last);
    return {
      sessionId: last?.session_id,
      finalText: last === undefined || error !== undefined ? undefined : answerOf(last),
      usage: undefined,
      terminal: last !== undefined,
      error,
      denials: [],
      permissionStop: false,
    };
  }

  lastWords(words: string, exit: AgentExit): ErrorSignal | undefined {
    return failureSignal(words, exit, {});
  }
}

function answerOf(event: CustomEvent): string | undefined {
  return event.result ?? event.text ?? event.response;
}

/** `is_error: true`, or an `error` that is neither null nor false. */
function errorOf(event: CustomEvent): ErrorSignal | undefined {
  const { error } = event;
  const named = error !== undefined && error !== null && error !== false;
  if (!named && event.is_error !== true) return undefined;
  if (typeof error === 'string') return { message: error };
  return {
    message: named ? JSON.stringify(error) : (answerOf(event) ?? 'The agent reported an error without a reason.'),
  };
}

import type { ServerResponse } from 'node:http';

/** What a request of any of the wire formats says that matters to a scenario. */
export interface Conversation {
  model: string;
  stream: boolean;
  /** Names of the tools that the agent offers; none in its side requests (titles, routing). */
  tools: string[];
  /** Tool results since the last message of the user: how far this start of the agent has come. */
  results: number;
  /** Text of the last message of the user. */
  prompt: string;
  /** The agent wants JSON of a shape of its own, not an answer to the task. */
  wantsJson: boolean;
}

export type Answer =
  | { kind: 'text'; text: string }
  | { kind: 'tool'; name: string; arguments: Record<string, unknown> };

/** What every answer claims to have cost, so that tests can count on it. */
export const usage = { input: 1000, cached: 400, output: 50, reasoning: 10 } as const;

/** One wire format: how a request is read and an answer is written. */
export interface WireFormat {
  serves(path: string): boolean;
  read(body: unknown, path: string): Conversation;
  write(response: ServerResponse, conversation: Conversation, answer: Answer): void;
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

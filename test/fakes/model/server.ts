import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { chatFormat } from './chat-format.ts';
import { type Answer, type Conversation, openStream, sendJson, type WireFormat } from './conversation.ts';
import { geminiFormat } from './gemini-format.ts';
import { messagesFormat } from './messages-format.ts';
import { responsesFormat } from './responses-format.ts';
import { type Failure, fixedScenario, StagedScenario, type Start } from './scenario.ts';
import { shellCall } from './shell-tool.ts';

const formats: readonly WireFormat[] = [responsesFormat, chatFormat, messagesFormat, geminiFormat];

/** One request that the model answered (or was made to fail). */
export interface ModelRequest {
  scenario: string;
  prompt: string;
  tools: string[];
  results: number;
  /** Which start of the agent it belonged to, from 1; 0 for side requests and scenarios without state. */
  start: number;
}

/**
 * A model on loopback that does what a scenario says, in the wire formats of the agents: OpenAI Responses and
 * Chat Completions, Anthropic Messages, Gemini generateContent. The first part of the path picks the scenario.
 */
export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  readonly #server: Server;
  readonly #arrivals = new EventEmitter();
  readonly #staged = new Map<string, StagedScenario>();

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        sendJson(response, 400, { error: { type: 'invalid_request_error', message: String(error) } });
      });
    });
  }

  static async start(): Promise<ScriptedModel> {
    const model = new ScriptedModel();
    await new Promise<void>((listening) => model.#server.listen(0, '127.0.0.1', listening));
    return model;
  }

  /** Makes the n-th start of an agent under this name do `starts[n - 1]`; the last one repeats. */
  stage(name: string, starts: readonly Start[]): void {
    this.#staged.set(name, new StagedScenario(starts));
  }

  /** How many starts of an agent a staged scenario has seen. */
  starts(name: string): number {
    return this.#staged.get(name)?.starts ?? 0;
  }

  /** Waits until so many requests have come. */
  async requestsReach(count: number): Promise<void> {
    while (this.requests.length < count) await once(this.#arrivals, 'request');
  }

  /** Base address of a scenario, without the API's own version part: add `/v1` where a client expects it. */
  url(scenario: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/s/${encodeURIComponent(scenario)}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://loopback');
    const [, name = '', path = pathname] = /^\/s\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
    const format = request.method === 'POST' ? formats.find((one) => one.serves(path)) : undefined;
    if (format === undefined) return sideAnswer(request, response, path);
    const scenario = decodeURIComponent(name);
    const conversation = format.read(await json(request), path);
    const turn = this.#turn(scenario, conversation);
    if (turn === undefined)
      return sendJson(response, 404, { error: { type: 'not_found_error', message: `no scenario "${scenario}"` } });
    const { prompt, tools, results } = conversation;
    this.requests.push({ scenario, prompt, tools, results, start: turn.number });
    this.#arrivals.emit('request');
    if (turn.start.failure !== undefined) return fail(response, turn.start.failure);
    format.write(response, conversation, answerOf(turn.start, conversation));
  }

  #turn(scenario: string, conversation: Conversation): { start: Start; number: number } | undefined {
    const staged = this.#staged.get(scenario);
    const fixed = staged === undefined ? fixedScenario(scenario) : undefined;
    if (staged === undefined) return fixed === undefined ? undefined : { start: fixed, number: 0 };
    return isSideRequest(conversation) ? { start: {}, number: 0 } : staged.next(conversation.results);
  }
}

/** Agents also ask for titles and for a route: without tools, or with JSON of their own as the answer. */
function isSideRequest({ tools, wantsJson }: Conversation): boolean {
  return tools.length === 0 || wantsJson;
}

function answerOf(start: Start, conversation: Conversation): Answer {
  if (conversation.wantsJson)
    return { kind: 'text', text: JSON.stringify({ complexity_score: 10, complexity_reasoning: '-' }) };
  const text = start.finalText ?? 'Done.';
  const command = start.commands?.[conversation.results];
  if (command === undefined || conversation.tools.length === 0) return { kind: 'text', text };
  // A reader may have no shell at all: it goes straight to its answer.
  return shellCall(conversation.tools, command) ?? { kind: 'text', text: start.finalText ?? 'I have no shell.' };
}

function fail(response: ServerResponse, failure: Failure): void {
  if (failure.kind === 'hang') return;
  if (failure.kind === 'cut') {
    openStream(response);
    response.write(': begun\n\n', () => response.destroy());
    return;
  }
  const { status, type, message, headers } = failure;
  sendJson(response, status, { type: 'error', error: { type, message, code: type, status: type } }, headers);
}

function sideAnswer(request: IncomingMessage, response: ServerResponse, path: string): void {
  if (path.endsWith('/models'))
    return sendJson(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model' }], models: [] });
  if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 1000 });
  if (path.endsWith(':countTokens')) return sendJson(response, 200, { totalTokens: 1000 });
  if (request.method === 'HEAD' || path === '/') return sendJson(response, 200, {});
  sendJson(response, 404, { error: { type: 'not_found_error', message: `no such path: ${path}` } });
}

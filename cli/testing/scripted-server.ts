import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Answer = (received: Received, response: ServerResponse) => void;

/** An HTTP server on loopback whose answers a test writes down: `METHOD /path` (without query) to an answer. */
export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  /** Every request so far, in order. */
  readonly received: Received[];
  on(route: string, answer: Answer): void;
  /** Cuts every connection and stops listening. */
  stop(): Promise<void>;
}

/** `port` 0 = any free one. */
export async function startScriptedServer(port = 0): Promise<ScriptedServer> {
  const routes = new Map<string, Answer>();
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      const entry: Received = { method, path, headers, body };
      received.push(entry);
      const answer = routes.get(`${method} ${path.split('?')[0] ?? ''}`);
      if (answer === undefined) problem(404, 'http/not-found', `${method} ${path} is not scripted`)(entry, response);
      else answer(entry, response);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    received,
    on: (route, answer) => void routes.set(route, answer),
    stop: () => stopServer(server),
  };
}

async function stopServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  await closed;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

export function json(body: unknown, status = 200): Answer {
  return (_received, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

export function text(body: string): Answer {
  return (_received, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
  };
}

export function problem(status: number, code: string, detail: string, more: Record<string, unknown> = {}): Answer {
  return (_received, response) => {
    const body = { type: `docs/errors/${code}`, title: code, status, code, detail, ...more };
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
  };
}

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Inbox } from './inbox.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  received: Inbox<Received>;
  /** How the next request is answered: a status, or by hand. Without an answer prepared it is 204. */
  answer(answer: number | ((response: ServerResponse) => void)): void;
  close(): Promise<void>;
}

/** A real HTTP server that takes whatever is posted to it. */
export async function withReceiver(): Promise<Receiver> {
  const received = new Inbox<Received>();
  const answers: (number | ((response: ServerResponse) => void))[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const answer = answers.shift() ?? 204;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else answer(response);
      received.put({ path: request.url ?? '', headers: request.headers, body });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (answer) => void answers.push(answer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

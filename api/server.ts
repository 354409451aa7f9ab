import { type ServerType, serve } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';

export interface ListenOptions {
  port: number;
  /** Loopback unless said otherwise. */
  host?: string;
}

export interface RunningServer {
  url: string;
  /** Takes no new requests, gives those under way `graceMs`, then cuts what is left (event streams). */
  close(graceMs?: number): Promise<void>;
}

/** Serves the API; rejects when the port is taken. */
export async function listen(app: OpenAPIHono, { port, host = '127.0.0.1' }: ListenOptions): Promise<RunningServer> {
  const server = await new Promise<ServerType>((resolve, reject) => {
    const starting = serve({ fetch: app.fetch, port, hostname: host }, () => resolve(starting));
    starting.once('error', reject);
  });
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host}:${listening}`,
    close: (graceMs = 1_000) =>
      new Promise((resolve, reject) => {
        const cut = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), graceMs);
        server.close((error) => {
          clearTimeout(cut);
          if (error === undefined) resolve();
          else reject(error);
        });
      }),
  };
}

import { once } from 'node:events';
import { createServer } from 'node:net';

/** A TCP port of the loopback that is free now: `wanted` if it is, else one that the system picks. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen({ port: wanted, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = ['EADDRINUSE', 'EACCES']; // EACCES: a low port, and we are not root.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (wanted !== 0 && taken.includes(code)) return freePort();
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server without a port');
  return address.port;
}

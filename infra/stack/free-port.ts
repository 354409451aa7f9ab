import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (Linux from 32768, others from 49152): one of those may be
 * taken by any client at the very moment when a server of ours starts again on its recorded port.
 */
const range = { from: 20_000, to: 32_000 };
const tries = 100;

/** A TCP port of the loopback that is free now: `wanted` if it is, else another one, between 20,000 and 32,000. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && wanted !== 0 && (await isFree(wanted))) return wanted;
  for (let tried = 0; tried < tries; tried += 1) {
    const port = randomInt(range.from, range.to);
    if (await isFree(port)) return port;
  }
  throw new TypeError(`none of ${tries} ports between ${range.from} and ${range.to} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: '127.0.0.1', exclusive: true });
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = ['EADDRINUSE', 'EACCES']; // EACCES: a low port, and we are not root.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (taken.includes(code)) return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

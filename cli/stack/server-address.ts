import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Stack } from '#core/contract/stack.ts';

import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';
import type { Settings } from '#cli/settings.ts';

/** Where a server is, and what proves that we may talk to it. */
export interface ServerAddress {
  url: string;
  token?: string;
  /** What a person does when nothing answers there. */
  remedy: string;
}

/**
 * The server that a command talks to: the one that is set, else the embedded stack of `settings.home` as its state file
 * tells, whether it runs or not. Undefined when there never was one.
 */
export async function serverAddress(settings: Settings): Promise<ServerAddress | undefined> {
  if (settings.server !== undefined) {
    requireAddress(settings.server);
    const remedy = 'check the address (--server or SETPOINT_URL) and that the server runs';
    return withToken({ url: settings.server, remedy }, settings.token);
  }
  const text = await readIfThere(join(settings.home, 'stack.json'));
  if (text === undefined) return undefined;
  const stack = parseStack(text, settings.home);
  return embeddedAddress(settings, stack.url, stack.tokenFile);
}

function requireAddress(server: string): void {
  if (/^https?:\/\//.test(server) && URL.canParse(server)) return;
  throw new CliFailure(exitCodes.usage, `${server} is no address of a server`, {
    remedy: 'give --server or SETPOINT_URL as http://host:port or https://host',
  });
}

/** As `serverAddress`; throws with exit code 5 when there is none. */
export async function requireServer(settings: Settings): Promise<ServerAddress> {
  const address = await serverAddress(settings);
  if (address !== undefined) return address;
  throw new CliFailure(exitCodes.infrastructure, `no server is set, and ${settings.home} holds no embedded stack`, {
    remedy:
      'start one with `setpoint up`, go to the folder where it was started, set SETPOINT_HOME, or name a server with --server URL',
  });
}

/** The embedded stack at `url`, with the token that it wrote. */
export async function embeddedAddress(settings: Settings, url: string, tokenFile: string): Promise<ServerAddress> {
  const token = settings.token ?? (await readIfThere(tokenFile))?.trim();
  return withToken({ url: url.replace(/\/+$/, ''), remedy: 'start the embedded stack with `setpoint up`' }, token);
}

function withToken(address: ServerAddress, token: string | undefined): ServerAddress {
  return token === undefined ? address : { ...address, token };
}

/** By hand: the schema would load zod before the request of a `run` is sent. */
function parseStack(text: string, home: string): Pick<Stack, 'url' | 'tokenFile'> {
  const stack = parsedJson(text);
  if (typeof stack === 'object' && stack !== null && 'url' in stack && 'tokenFile' in stack) {
    const { url, tokenFile } = stack;
    if (typeof url === 'string' && typeof tokenFile === 'string') return { url, tokenFile };
  }
  throw new CliFailure(exitCodes.infrastructure, `${join(home, 'stack.json')} is no state of a stack`, {
    remedy: 'run `setpoint up`, which writes it anew',
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new CliFailure(exitCodes.infrastructure, `${path} cannot be read: ${messageOf(error)}`, {
      remedy: 'make it readable for this user, or set SETPOINT_HOME to a folder of your own',
      cause: error,
    });
  }
}

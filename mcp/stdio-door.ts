import { randomBytes } from 'node:crypto';

import { serveStdio } from '@modelcontextprotocol/server/stdio';

import type { SetpointClient } from '#client/setpoint-client.ts';

import { createConfirmations } from '#mcp/confirmation.ts';
import { createMcpServer } from '#mcp/server.ts';
import type { Session } from '#mcp/session.ts';

export interface StdioDoor extends Pick<Session, 'loops' | 'repo' | 'project'> {
  client: SetpointClient;
  /** Hears what went wrong beside the answers. */
  onError: (error: Error) => void;
}

/**
 * Serves the tools on stdin and stdout, which carry the protocol and nothing else, until stdin ends. Confirmations count
 * as long as the process lives: their key is its own.
 */
export async function serveOnStdio({ onError, ...given }: StdioDoor): Promise<void> {
  const key = randomBytes(32);
  const who = async (): Promise<string> => (await given.client.showMe()).name;
  const session: Session = { ...given, who, confirmations: createConfirmations(() => key) };
  const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve));
  const door = serveStdio(() => createMcpServer(session), { onerror: onError });
  await ended;
  await door.close();
}

import { createMcpHandler } from '@modelcontextprotocol/server';

import type { LoopsSwitch } from '#core/contract/server.ts';

import { createSetpointClient } from '#client/setpoint-client.ts';

import type { Confirmations } from '#mcp/confirmation.ts';
import { createMcpServer } from '#mcp/server.ts';

/** What the door stands on. */
export interface HttpDoor {
  /** The API itself, in this process: a tool is a call of it, with the token of whoever calls the tool. */
  api: (request: Request) => Response | Promise<Response>;
  confirmations: Confirmations;
  loops: LoopsSwitch;
  /** Hears what went wrong beside the answers. */
  onError: (error: Error) => void;
}

/** Whose request it is; the token was checked by whoever calls the door. */
export interface Caller {
  token: string;
  name: string;
}

/** Streamable HTTP without sessions: every request stands alone, so that any process of the API can answer it (E-24). */
export function createHttpDoor(door: HttpDoor): (request: Request, caller: Caller) => Promise<Response> {
  const { api, confirmations, loops, onError } = door;
  return (request, { token, name }) => {
    const fetch = async (inner: Request): Promise<Response> => api(inner);
    const client = createSetpointClient({ url: 'http://setpoint.invalid', token, fetch });
    const session = { client, who: async () => name, confirmations, loops };
    return createMcpHandler(() => createMcpServer(session), { onerror: onError }).fetch(request);
  };
}

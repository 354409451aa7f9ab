import type { LoopsSwitch } from '#core/contract/server.ts';

import type { SetpointClient } from '#client/setpoint-client.ts';

import type { Confirmations } from '#mcp/confirmation.ts';

/** What tools work with: whoever calls them is who the client's token belongs to, and may what they may. */
export interface Session {
  client: SetpointClient;
  /** Name of the principal. */
  who(): Promise<string>;
  confirmations: Confirmations;
  /** With `off`, tools that start or spend are not offered (E-27). */
  loops: LoopsSwitch;
  /** The folder that `repo: .` means where a call names none. */
  repo?: string;
  /** Project of what is started or stored where a call names none. */
  project?: string;
}

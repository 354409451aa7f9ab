import { createSetpointClient } from '#client/setpoint-client.ts';
import { serveOnStdio } from '#mcp/stdio-door.ts';

import { callsOf } from '#cli/client/server-calls.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

/**
 * `setpoint mcp` (E-24): the tools for agents on stdin and stdout, as a client of the server, until stdin ends. Exit code
 * 5 when no server answers at the start.
 */
export async function mcpCommand(context: CliContext, flags: GlobalFlags): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const address = await requireServer(settings);
  const client = createSetpointClient(address);
  const { loops } = await callsOf(address).told(client.showServer());
  await serveOnStdio({
    client,
    loops,
    repo: context.cwd,
    ...(settings.project === undefined ? {} : { project: settings.project }),
    onError: (error) => context.terminal.err(`setpoint: ${error.message}`),
  });
  return exitCodes.succeeded;
}

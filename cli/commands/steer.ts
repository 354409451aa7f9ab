import { createApiClient } from '#cli/client/api-client.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { outcomeOf } from '#cli/render/outcome.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface SteerFlags extends GlobalFlags {
  reason?: string;
}

/**
 * `setpoint cancel RUN` and `setpoint retry RUN`: hands the request over and shows the state after it. Exit 0 when it
 * was taken (a cancelled run may still be ending what it runs), 2 when the run's state does not allow it.
 */
export async function steerCommand(
  context: CliContext,
  request: { action: 'cancel' | 'retry'; runId: string },
  flags: SteerFlags,
): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  await client.steer(request.runId, request.action, flags.reason);
  const { listed } = await client.run(request.runId);
  if (!context.terminal.interactive) {
    context.terminal.out(JSON.stringify(outcomeOf(listed)));
    return exitCodes.succeeded;
  }
  const state = listed.summary.stop?.kind ?? listed.summary.status;
  const done = request.action === 'cancel' ? 'is being cancelled' : 'starts again';
  context.terminal.out(`${request.runId} ${done} (now: ${state}). Follow it with \`setpoint watch ${request.runId}\``);
  return exitCodes.succeeded;
}

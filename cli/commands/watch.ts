import { createApiClient } from '#cli/client/api-client.ts';
import type { CliContext } from '#cli/context.ts';
import type { ExitCode } from '#cli/failure.ts';
import { followRun } from '#cli/follow/follow-run.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface WatchFlags extends GlobalFlags {
  json?: boolean;
  quiet?: boolean;
  wait: boolean;
}

/** `setpoint watch RUN`: tells a run from its first event, a fork from where it begins, and follows it to its end; exit codes as `run`. */
export async function watchCommand(context: CliContext, runId: string, flags: WatchFlags): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  const { listed } = await client.run(runId);
  const followed = await followRun(context, client, runId, {
    json: flags.json ?? false,
    quiet: flags.quiet ?? false,
    wait: flags.wait,
    forked: listed.forkedFrom !== undefined,
    onInterrupt: 'detach',
  });
  return followed.exitCode;
}

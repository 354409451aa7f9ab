import { resolve } from 'node:path';

import { createApiClient } from '#cli/client/api-client.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface ShowFlags extends GlobalFlags {
  json?: boolean;
  export?: string;
  force?: boolean;
}

/**
 * `setpoint show RUN`: what it is, what its last pass found, its loops and limits, why it does not move. `--json` is the
 * server's answer; `--export` writes the run as files (T-28).
 */
export async function showCommand(context: CliContext, runId: string, flags: ShowFlags): Promise<ExitCode> {
  if (flags.force === true && flags.export === undefined) {
    throw new CliFailure(exitCodes.usage, '--force belongs to --export', { remedy: 'give --export FOLDER too' });
  }
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  const { listed, whole, forks } = await client.run(runId);
  if (flags.export !== undefined) {
    const folder = resolve(context.cwd, flags.export);
    const { exportRun } = await import('#cli/export/export-run.ts');
    const run = { listed, whole, events: await client.events(runId) };
    const files = await exportRun(client, run, { folder, force: flags.force ?? false });
    context.terminal.err(`Written to ${folder}: ${files.join(', ')}`);
    return exitCodes.succeeded;
  }
  if (flags.json === true) {
    context.terminal.out(JSON.stringify(whole));
    return exitCodes.succeeded;
  }
  // Loaded while the server works: `--json` and a refusal need none of it.
  const [events, { shownLines }, { childrenIn, planOf }] = await Promise.all([
    client.events(runId),
    import('#cli/render/run-view.ts'),
    import('#cli/follow/plan-of.ts'),
  ]);
  const view = { listed, plan: planOf(whole), events, children: childrenIn(whole), forks };
  for (const line of shownLines(view, Date.now())) {
    context.terminal.out(context.terminal.paint(line.tone, line.text));
  }
  return exitCodes.succeeded;
}

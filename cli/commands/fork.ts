import { createApiClient } from '#cli/client/api-client.ts';
import { createSteerClient } from '#cli/client/steer-client.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { comeBack } from '#cli/follow/come-back.ts';
import { outcomeOf } from '#cli/render/outcome.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface ForkFlags extends GlobalFlags {
  at: string;
  name?: string;
  detach?: boolean;
  wait: boolean;
  quiet?: boolean;
  json?: boolean;
}

/**
 * `setpoint fork RUN --at STEP:PASS`: starts a run that goes on after that pass, and follows it unless `--detach`. Exit
 * codes as `run`; 2 when there is no such pass or its snapshot is gone.
 */
export async function forkCommand(context: CliContext, runId: string, flags: ForkFlags): Promise<ExitCode> {
  const place = placeOf(flags.at);
  const settings = settingsOf(flags, context.environment, context.cwd);
  const address = await requireServer(settings);
  const name = flags.name === undefined ? {} : { name: flags.name };
  const forked = await createSteerClient(address).fork(runId, { ...place, ...name });
  const { terminal } = context;
  if (flags.detach === true) {
    terminal.err(comeBack(forked.runId));
    terminal.out(terminal.interactive ? forked.runId : JSON.stringify(outcomeOf(forked)));
    return exitCodes.succeeded;
  }
  if (flags.quiet !== true) terminal.err(`${forked.runId} goes on from ${runId} after ${flags.at}:`);
  const { followRun } = await import('#cli/follow/follow-run.ts');
  const followed = await followRun(context, createApiClient(address), forked.runId, {
    json: flags.json ?? false,
    quiet: flags.quiet ?? false,
    wait: flags.wait,
    forked: true,
    onInterrupt: 'detach',
  });
  return followed.exitCode;
}

/** A step's name may hold colons; the pass is what follows the last one. */
function placeOf(at: string): { step: string; pass: number } {
  const [, step, pass] = /^(.+):([1-9]\d{0,8})$/.exec(at) ?? [];
  if (step !== undefined && pass !== undefined) return { step, pass: Number(pass) };
  throw new CliFailure(exitCodes.usage, `--at ${at} is not of the form STEP:PASS`, {
    remedy: 'name a step and the number of a pass, such as --at work:2; setpoint show RUN tells them',
  });
}

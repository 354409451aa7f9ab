import type { RunListed } from '#core/contract/http.ts';

import { createSteerClient, type SteerClient, type Steered } from '#cli/client/steer-client.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { nowLine } from '#cli/render/now-line.ts';
import { outcomeOf } from '#cli/render/outcome.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';

export interface SteerFlags extends GlobalFlags {
  reason?: string;
}

export interface RetryFlags extends GlobalFlags {
  from?: string;
  only?: string;
}

export interface RaiseFlags extends GlobalFlags {
  passes?: number;
  step?: string;
  time?: string;
  deadline?: string;
  spend?: string;
}

/**
 * `setpoint cancel|pause|resume RUN`: hands the request over and says what the run does now. Exit 0 when it was taken (a
 * cancelled or paused run may still be ending what it runs), 2 when the run's state does not allow it.
 */
export function steerCommand(
  context: CliContext,
  { action, runId }: { action: 'cancel' | 'pause' | 'resume'; runId: string },
  flags: SteerFlags,
): Promise<ExitCode> {
  const reason = flags.reason === undefined ? {} : { reason: flags.reason };
  return steer(context, flags, (client) => client[action](runId, reason));
}

/** `setpoint retry RUN [--from STEP|--only STEP]`. */
export async function retryCommand(context: CliContext, runId: string, flags: RetryFlags): Promise<ExitCode> {
  const { from, only } = flags;
  if (from !== undefined && only !== undefined) {
    throw new CliFailure(exitCodes.usage, '--from and --only exclude each other', {
      remedy: '--from does the step and all after it again, --only that one step',
    });
  }
  const which = { ...(from === undefined ? {} : { from }), ...(only === undefined ? {} : { only }) };
  return steer(context, flags, (client) => client.retry(runId, which));
}

/** `setpoint raise RUN --passes N|--time T|--deadline T|--spend M`: as typed, since the server reads times and amounts. */
export async function raiseCommand(context: CliContext, runId: string, flags: RaiseFlags): Promise<ExitCode> {
  const { passes, step, time, deadline, spend } = flags;
  const limits = {
    ...(passes === undefined ? {} : { passes }),
    ...(step === undefined ? {} : { step }),
    ...(time === undefined ? {} : { time }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(spend === undefined ? {} : { spend }),
  };
  if (Object.keys(limits).length === 0) {
    throw new CliFailure(exitCodes.usage, 'no limit is given', {
      remedy: 'give at least one of --passes, --time, --deadline and --spend',
    });
  }
  return steer(context, flags, (client) => client.raise(runId, limits));
}

/** `setpoint push-back RUN --step STEP --message M`: a finished step of a running run is sent back. */
export function pushBackRun(
  context: CliContext,
  request: { runId: string; step: string; message: string },
  flags: GlobalFlags,
): Promise<ExitCode> {
  const { runId, step, message } = request;
  return steer(context, flags, (client) => client.pushBack(runId, { step, message }));
}

/** Does it and tells what the run does now: a line for the person, and without a terminal the state as JSON on stdout. */
export async function steer(
  context: CliContext,
  flags: GlobalFlags,
  act: (client: SteerClient) => Promise<Steered>,
): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const { listed, pending } = await act(createSteerClient(await requireServer(settings)));
  tellNow(context, listed, pending);
  return exitCodes.succeeded;
}

function tellNow({ terminal }: CliContext, listed: RunListed, pending: boolean): void {
  const line = pending
    ? `${listed.runId}: it is stored, and no worker has answered yet; it is done as soon as one does (setpoint status).`
    : nowLine(listed);
  if (terminal.interactive) {
    terminal.out(line);
    return;
  }
  terminal.err(line);
  terminal.out(JSON.stringify(outcomeOf(listed)));
}

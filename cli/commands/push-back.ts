import { decideCommand, type DecideFlags } from '#cli/commands/decide.ts';
import { pushBackRun } from '#cli/commands/steer.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';

export interface PushBackFlags extends DecideFlags {
  step?: string;
}

/** `setpoint push-back TASK`, or with `--step` a finished step of a running run, outside any question. */
export async function pushBackCommand(context: CliContext, named: string, flags: PushBackFlags): Promise<ExitCode> {
  const { step, message } = flags;
  if (step === undefined) return decideCommand(context, { decision: 'push_back', named }, flags);
  for (const name of ['to', 'set', 'form', 'revision'] as const) {
    if (flags[name] === undefined) continue;
    throw new CliFailure(exitCodes.usage, `--${name} belongs to a task, and --step to a run`, {
      remedy: `leave one of them out: setpoint push-back TASK --${name} …, or setpoint push-back RUN --step STEP`,
    });
  }
  if (message === undefined) {
    throw new CliFailure(exitCodes.usage, 'nothing says why the step is sent back', {
      remedy: 'give --message; it reaches the next pass',
    });
  }
  return pushBackRun(context, { runId: named, step, message }, flags);
}

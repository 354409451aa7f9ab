import { StackMessage } from '#core/contract/stack.ts';

import type { CliContext } from '#cli/context.ts';
import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';
import { startOwnProgram } from '#cli/own-program.ts';

export type StackCommand = 'up' | 'down' | 'status' | 'config';

/** The message that a stack command ends with, by command. */
interface Answers {
  up: Extract<StackMessage, { event: 'ready' }>;
  down: Extract<StackMessage, { event: 'stopped' }>;
  status: Extract<StackMessage, { event: 'status' }>;
  config: Extract<StackMessage, { event: 'settings' }>;
}

const argumentsOf: Readonly<Record<StackCommand, string[]>> = {
  up: ['up'],
  down: ['down'],
  status: ['status'],
  config: ['status', '--config'],
};
const answerOf = { up: 'ready', down: 'stopped', status: 'status', config: 'settings' } as const;

/**
 * Runs a command of the embedded stack's own program, which may load what the command line must not, and gives its
 * answer. `onProgress` hears what it does meanwhile. Throws with exit code 5 when it cannot be done, with the cause.
 */
export async function askStack<C extends StackCommand>(
  context: CliContext,
  command: C,
  options: { home: string; onProgress?: (message: string) => void },
): Promise<Answers[C]> {
  const argv = [context.entry('workers/stack.js'), ...argumentsOf[command], '--home', options.home, '--json'];
  const { messages, ended, errors } = startOwnProgram({ argv, cwd: context.cwd, message: StackMessage });
  let answer: Answers[C] | undefined;
  for await (const message of messages) {
    if (message.event === 'progress') options.onProgress?.(message.message);
    if (message.event === 'error') throw stackFailure(command, `${message.message} (${message.code})`, message.code);
    // The table above pairs each command with its answer, which the type system cannot follow.
    if (message.event === answerOf[command]) answer = message as Answers[C];
  }
  const code = await ended.catch((error: unknown) => {
    throw stackFailure(command, messageOf(error));
  });
  if (answer !== undefined) return answer;
  throw stackFailure(command, `its program ended with exit code ${code} and no answer. ${errors()}`.trim());
}

function stackFailure(command: StackCommand, cause: string, code?: string): CliFailure {
  return new CliFailure(exitCodes.infrastructure, `the embedded stack: \`${command}\` failed: ${cause}`, {
    remedy:
      code === 'stack/settings-invalid'
        ? 'correct the settings that the message names, then try again'
        : 'see the files in the folder `logs` of the stack, or use a server with --server URL',
  });
}

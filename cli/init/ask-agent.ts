import { SuggestMessage, type SuggestRequest } from '#core/contract/suggest.ts';

import type { CliContext } from '#cli/context.ts';
import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';
import { startOwnProgram } from '#cli/own-program.ts';

export type SuggestedLoop = Extract<SuggestMessage, { event: 'suggested' }>;

/**
 * Has the program of the package that may load agents ask one for a suggestion. Ctrl-C ends it. Throws with exit code 5 when
 * there is none, with the cause, and 130 after Ctrl-C.
 */
export async function askForSuggestion(
  context: CliContext,
  request: SuggestRequest,
  onAsking: (agent: string, tries: number) => void,
): Promise<SuggestedLoop> {
  const program = startOwnProgram({
    argv: [context.entry('workers/suggest.js')],
    cwd: context.cwd,
    stdin: JSON.stringify(request),
    message: SuggestMessage,
  });
  let isLeft = false;
  const stop = context.interrupts.listen(() => {
    isLeft = true;
    program.stop();
  });
  try {
    const last = await lastMessage(program.messages, onAsking);
    const code = await program.ended.catch((error: unknown) => messageOf(error));
    if (isLeft) throw new CliFailure(exitCodes.interrupted, 'left before the agent answered; nothing was written');
    if (last?.event === 'suggested') return last;
    throw noSuggestion(last, code, program.errors());
  } finally {
    stop();
  }
}

async function lastMessage(
  messages: AsyncIterable<SuggestMessage>,
  onAsking: (agent: string, tries: number) => void,
): Promise<SuggestMessage | undefined> {
  let last: SuggestMessage | undefined;
  for await (const message of messages) {
    last = message;
    if (last.event === 'asking') onAsking(last.agent, last.tries);
  }
  return last;
}

function noSuggestion(last: SuggestMessage | undefined, code: number | string | null, errors: string): CliFailure {
  if (last?.event === 'failed') {
    return new CliFailure(exitCodes.infrastructure, last.message, { remedy: last.remedy });
  }
  const said = errors === '' ? '' : `: ${errors}`;
  return new CliFailure(exitCodes.infrastructure, `the agent could not be asked (${code ?? 'a signal'})${said}`, {
    remedy: 'check that setpoint is installed whole, then try again',
  });
}

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { SuggestMessage, type SuggestRequest } from '#core/contract/suggest.ts';

import type { CliContext } from '#cli/context.ts';
import { CliFailure, exitCodes, messageOf } from '#cli/failure.ts';

const keptErrorCharacters = 2_000;

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
  const child = spawn(process.execPath, [context.entry('workers/suggest.js')], {
    cwd: context.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let isLeft = false;
  const stop = context.interrupts.listen(() => {
    isLeft = true;
    child.kill('SIGTERM');
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-keptErrorCharacters);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Awaited below; a failed spawn must not be unhandled while the lines are read.
  ended.catch(() => undefined);
  // A program that ended before it read says why by its end.
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(request));
  try {
    const last = await lastMessage(child.stdout, onAsking);
    const code = await ended.catch((error: unknown) => messageOf(error));
    if (isLeft) throw new CliFailure(exitCodes.interrupted, 'left before the agent answered; nothing was written');
    if (last?.event === 'suggested') return last;
    throw noSuggestion(last, code, errors);
  } finally {
    stop();
  }
}

async function lastMessage(
  stdout: NodeJS.ReadableStream,
  onAsking: (agent: string, tries: number) => void,
): Promise<SuggestMessage | undefined> {
  let last: SuggestMessage | undefined;
  for await (const line of createInterface({ input: stdout })) {
    last = messageIn(line) ?? last;
    if (last?.event === 'asking') onAsking(last.agent, last.tries);
  }
  return last;
}

/** A line that is no message of ours is noise of a library. */
function messageIn(line: string): SuggestMessage | undefined {
  try {
    return SuggestMessage.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function noSuggestion(last: SuggestMessage | undefined, code: number | string | null, errors: string): CliFailure {
  if (last?.event === 'failed') {
    return new CliFailure(exitCodes.infrastructure, last.message, { remedy: last.remedy });
  }
  const said = errors.trim() === '' ? '' : `: ${errors.trim()}`;
  return new CliFailure(exitCodes.infrastructure, `the agent could not be asked (${code ?? 'a signal'})${said}`, {
    remedy: 'check that setpoint is installed whole, then try again',
  });
}

import { compileHere } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { doctorNote } from '#cli/init/doctor-note.ts';
import { nextCommands } from '#cli/init/next-commands.ts';
import { suggestedDefinition } from '#cli/init/suggested-definition.ts';
import { requireFree, writeDefinition } from '#cli/init/write-definition.ts';

export interface SuggestFlags {
  suggest: string;
  agent?: string;
  file?: string;
  yes?: boolean;
}

const defaultFile = 'suggested.loop.yaml';

/**
 * `setpoint init --suggest TASK`: an agent suggests checks, mode and cap (E-21), which are shown as a definition. In a terminal
 * it is asked whether to write it; else it is printed, or written with `--file`. Nothing is run and nothing is launched.
 */
export async function suggestCommand(context: CliContext, flags: SuggestFlags): Promise<ExitCode> {
  const { terminal } = context;
  if (flags.suggest.trim() === '') {
    throw new CliFailure(exitCodes.usage, 'no task is given', { remedy: 'setpoint init --suggest "what to do"' });
  }
  if (flags.file !== undefined) await requireFree(context, flags.file);
  const text = await suggestedDefinition(context, flags.suggest, flags.agent ?? 'auto');
  const file = await review(context, text, flags);
  if (file === undefined) return exitCodes.succeeded;
  await writeDefinition(context, file, text);
  const { plan } = await compileHere({ file, text });
  terminal.out(
    `Wrote ${file} (${plan.name}), as ${flags.file === undefined ? 'shown' : 'suggested: read it'}. Nothing runs yet.`,
  );
  for (const line of nextCommands(file, plan)) terminal.out(line);
  return exitCodes.succeeded;
}

/** Shows it with what the doctor says; the file to write it to, when a person at the terminal says so. */
async function review(context: CliContext, text: string, flags: SuggestFlags): Promise<string | undefined> {
  const { terminal, prompts } = context;
  const said = doctorNote({ file: flags.file ?? defaultFile, text });
  if (flags.file !== undefined || prompts === undefined || flags.yes === true) {
    if (flags.file === undefined) terminal.raw(text);
    if (said !== undefined) terminal.err(`What the doctor says:\n${said}`);
    if (flags.file === undefined) terminal.err('Nothing was written: --file PATH writes it.');
    return flags.file;
  }
  await prompts.show('Suggested', text);
  if (said !== undefined) await prompts.show('What the doctor says', said);
  const isWanted = await prompts.confirm({ message: 'Write it to a file? Nothing runs yet.', initial: false });
  if (!isWanted) return undefined;
  const check = (name: string): string | undefined => (name === '' ? 'It must not be empty.' : undefined);
  const file = await prompts.text({ message: 'Which file?', initial: defaultFile, check });
  await requireFree(context, file);
  return file;
}

import { didYouMean } from '#core/issue/nearest.ts';
import type { Plan } from '#core/plan/plan.ts';

import { compileHere } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { type MadeStarter, makeStarter } from '#cli/init/make-starter.ts';
import { nextCommands } from '#cli/init/next-commands.ts';
import { defaultFile, isStarterName, type StarterName, starterNames, summaryOf } from '#cli/init/starters.ts';
import { requireFree, writeDefinition } from '#cli/init/write-definition.ts';
import type { Prompts } from '#cli/wizard/prompts.ts';

export interface InitFlags {
  file?: string;
  yes?: boolean;
  input?: string[];
  agent?: string;
  suggest?: string;
}

/**
 * `setpoint init [STARTER]`: writes a starter with what the repository tells; in a terminal it asks for the rest. Without a
 * name it asks which, or, without a terminal, lists them with exit 2. Exit 2 too when the file is there already.
 */
export async function initCommand(context: CliContext, word: string | undefined, flags: InitFlags): Promise<ExitCode> {
  if (flags.suggest !== undefined) return suggestInstead(context, word, { ...flags, suggest: flags.suggest });
  const prompts = flags.yes === true ? undefined : context.prompts;
  const name = word === undefined ? await askStarter(context, prompts) : starterOf(word);
  const file = flags.file ?? defaultFile(name);
  await requireFree(context, file);
  const inputs = [...(flags.input ?? []), ...(flags.agent === undefined ? [] : [`agent=${flags.agent}`])];
  const made = await makeStarter(context, name, { inputs, prompts });
  const { plan } = await compileHere({ file, text: made.text });
  await writeDefinition(context, file, made.text);
  for (const note of made.notes) context.terminal.err(note);
  for (const line of nextLines(file, plan, made)) context.terminal.out(line);
  return exitCodes.succeeded;
}

async function suggestInstead(
  context: CliContext,
  word: string | undefined,
  flags: InitFlags & { suggest: string },
): Promise<ExitCode> {
  if (word !== undefined || flags.input !== undefined) {
    throw new CliFailure(exitCodes.usage, '--suggest takes the place of a starter and its inputs', {
      remedy: 'give a starter, or --suggest "what to do"',
    });
  }
  const { suggestCommand } = await import('#cli/commands/suggest.ts');
  return suggestCommand(context, flags);
}

/** The next two commands; before them, what has to be written by hand. */
function nextLines(file: string, plan: Plan, { toReplace: names }: MadeStarter): string[] {
  const replace =
    names.length === 0
      ? []
      : [`Nothing here tells ${names.join(', ')}: look for REPLACE THIS in ${file}, and write your commands there.`];
  return [`Wrote ${file} (${plan.name}).`, ...replace, ...nextCommands(file, plan)];
}

function starterOf(word: string): StarterName {
  if (isStarterName(word)) return word;
  throw new CliFailure(exitCodes.usage, `there is no starter ${word}${didYouMean(word, starterNames)}`, {
    remedy: `name one of ${starterNames.join(', ')}`,
  });
}

async function askStarter({ terminal }: CliContext, prompts: Prompts | undefined): Promise<StarterName> {
  if (prompts !== undefined) {
    const choices = starterNames.map((value) => ({ value, label: value, hint: summaryOf(value) }));
    return prompts.choose({ message: 'Which starter?', choices });
  }
  const width = Math.max(...starterNames.map(({ length }) => length));
  for (const name of starterNames) terminal.out(`${name.padEnd(width)}  ${summaryOf(name)}`);
  throw new CliFailure(exitCodes.usage, 'no starter is named', { remedy: 'setpoint init <starter>' });
}

import { didYouMean } from '#core/issue/nearest.ts';
import type { Plan } from '#core/plan/plan.ts';

import { compileHere } from '#cli/commands/definition-file.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { askAnswers, besideAgent, foundAnswers, givenAnswers } from '#cli/init/answer-slots.ts';
import { type Answers, fillStarter, slotsIn } from '#cli/init/fill-starter.ts';
import { readFacts } from '#cli/init/read-facts.ts';
import { isMissing, isSlotName, type SlotName } from '#cli/init/slots.ts';
import {
  defaultFile,
  isStarterName,
  readStarter,
  type StarterName,
  starterNames,
  summaryOf,
} from '#cli/init/starters.ts';
import { suggestionsFrom } from '#cli/init/suggestions.ts';
import { requireFree, writeDefinition } from '#cli/init/write-definition.ts';
import type { Prompts } from '#cli/wizard/prompts.ts';

export interface InitFlags {
  file?: string;
  yes?: boolean;
  input?: string[];
}

/**
 * `setpoint init [STARTER]`: writes a starter with what the repository tells; in a terminal it asks for the rest. Without a
 * name it asks which, or, without a terminal, lists them with exit 2. Exit 2 too when the file is there already.
 */
export async function initCommand(context: CliContext, word: string | undefined, flags: InitFlags): Promise<ExitCode> {
  const prompts = flags.yes === true ? undefined : context.prompts;
  const name = word === undefined ? await askStarter(context, prompts) : starterOf(word);
  const file = flags.file ?? defaultFile(name);
  await requireFree(context, file);
  const made = await makeStarter(context, name, { inputs: flags.input ?? [], prompts });
  await compileHere({ file, text: made.text });
  await writeDefinition(context, file, made.text);
  for (const note of made.notes) context.terminal.err(note);
  for (const line of await nextLines(file, made)) context.terminal.out(line);
  return exitCodes.succeeded;
}

export interface MadeStarter {
  text: string;
  /** What a person should know. */
  notes: string[];
  /** Slots for commands that somebody has to write yet. */
  toReplace: SlotName[];
}

/** The text of a starter for the repository where the command was typed. `prompts` absent: nobody is asked. */
export async function makeStarter(
  context: CliContext,
  name: StarterName,
  { inputs, prompts }: { inputs: readonly string[]; prompts: Prompts | undefined },
): Promise<MadeStarter> {
  const template = await readStarter(name);
  const names = slotsIn(template);
  const given = givenAnswers(inputs, names);
  const { suggestions, notes } = suggestionsFrom(await readFacts(context));
  const agent = given.agent?.kind === 'given' ? given.agent.value : undefined;
  const told = besideAgent(suggestions, agent);
  const open = names.filter((slot) => given[slot] === undefined);
  const rest = prompts === undefined ? foundAnswers(open, told) : await askAnswers(prompts, open, told);
  const answers: Answers = { ...rest, ...given };
  return { text: fillStarter(template, answers), notes, toReplace: toReplace(answers) };
}

function toReplace(answers: Answers): SlotName[] {
  const names = Object.keys(answers).filter(isSlotName);
  return names.filter((name) => answers[name]?.kind === 'unknown' && isMissing(name));
}

/** The next two commands; before them, what has to be written by hand. */
async function nextLines(file: string, { text, toReplace: names }: MadeStarter): Promise<string[]> {
  const { plan } = await compileHere({ file, text });
  const replace =
    names.length === 0
      ? []
      : [`Nothing here tells ${names.join(', ')}: look for REPLACE THIS in ${file}, and write your commands there.`];
  return [`Wrote ${file} (${plan.name}).`, ...replace, ...nextCommands(file, plan)];
}

export function nextCommands(file: string, plan: Plan): string[] {
  const inputs = Object.entries(plan.inputs).flatMap(([name, input]) =>
    input.required && input.default === undefined ? [` --input ${name}="…"`] : [],
  );
  return ['Next:', `  setpoint plan ${shellWord(file)}`, `  setpoint run ${shellWord(file)}${inputs.join('')}`];
}

function shellWord(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
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

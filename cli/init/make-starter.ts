import type { CliContext } from '#cli/context.ts';
import { askAnswers, besideAgent, foundAnswers, givenAnswers } from '#cli/init/answer-slots.ts';
import { type Answers, fillStarter, slotsIn } from '#cli/init/fill-starter.ts';
import { readFacts } from '#cli/init/read-facts.ts';
import { isMissing, isSlotName, type SlotName } from '#cli/init/slots.ts';
import { readStarter, type StarterName } from '#cli/init/starters.ts';
import { suggestionsFrom } from '#cli/init/suggestions.ts';
import type { Prompts } from '#cli/wizard/prompts.ts';

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

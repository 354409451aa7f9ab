import { didYouMean } from '#core/issue/nearest.ts';

import { CliFailure, exitCodes } from '#cli/failure.ts';
import type { Answer, Answers } from '#cli/init/fill-starter.ts';
import { isSlotName, type SlotName, slotOf, type Suggestion, type Suggestions } from '#cli/init/slots.ts';
import type { Prompts } from '#cli/wizard/prompts.ts';

/** Values of `--input name=value` for the slots of a starter. Throws with exit code 2 for a name that it has not. */
export function givenAnswers(pairs: readonly string[], names: readonly SlotName[]): Answers {
  const answers: Answers = {};
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals));
    if (equals < 1 || !isSlotName(name) || !names.includes(name)) {
      const what =
        equals < 1 ? `--input ${pair} is not of the form name=value` : `this starter does not ask for ${name}`;
      throw new CliFailure(exitCodes.usage, `${what}${didYouMean(name, names)}`, {
        remedy: `it asks for ${names.join(', ')}; give each as --input name=value`,
      });
    }
    answers[name] = given(name, pair.slice(equals + 1));
  }
  return answers;
}

function given(name: SlotName, value: string): Answer {
  if (/[\r\n]/.test(value)) {
    throw new CliFailure(exitCodes.usage, `the value of ${name} has more than one line`, {
      remedy: 'join commands with && or ;, or write the lines into the file afterwards',
    });
  }
  if (value.trim() !== '') return { kind: 'given', value: value.trim() };
  // An empty value is none where the slot allows that.
  return 'absent' in slotOf(name).otherwise ? { kind: 'none' } : { kind: 'unknown' };
}

/** The agent that reviews is another one than `agent`, where another one was found. */
export function besideAgent(suggestions: Suggestions, agent: string | undefined): Suggestions {
  const first = suggestions.agent;
  if (first === undefined || agent === undefined || agent === first.value || agent !== suggestions.reviewer?.value) {
    return suggestions;
  }
  return { ...suggestions, reviewer: { value: first.value, because: `${first.because}, and is not ${agent}` } };
}

/** What the repository tells, for the slots that nobody answered. */
export function foundAnswers(names: readonly SlotName[], suggestions: Suggestions): Answers {
  return Object.fromEntries(
    names.map((name): [SlotName, Answer] => {
      const suggestion = suggestions[name];
      return [name, suggestion === undefined ? { kind: 'unknown' } : { kind: 'found', suggestion }];
    }),
  );
}

/**
 * Asks which agent works when there is a choice, then whether the rest of what was found is right (if not, for each), then for
 * what nothing tells.
 */
export async function askAnswers(
  prompts: Prompts,
  names: readonly SlotName[],
  suggestions: Suggestions,
): Promise<Answers> {
  const answers: Answers = {};
  if (names.includes('agent')) answers.agent = await askAgent(prompts, suggestions.agent);
  const told = besideAgent(suggestions, answers.agent?.kind === 'given' ? answers.agent.value : undefined);
  const open = names.filter((name) => name !== 'agent');
  const lines = open.flatMap((name) => {
    const suggestion = told[name];
    return suggestion === undefined ? [] : [`${name}: ${suggestion.value}  (${suggestion.because})`];
  });
  if (lines.length > 0) await prompts.show('Found in this repository', lines.join('\n'));
  const isRight = lines.length > 0 && (await prompts.confirm({ message: 'Take this as it is?', initial: true }));
  for (const name of open) {
    const suggestion = told[name];
    answers[name] =
      isRight && suggestion !== undefined ? { kind: 'found', suggestion } : await askSlot(prompts, name, suggestion);
  }
  return answers;
}

async function askAgent(prompts: Prompts, suggestion: Suggestion | undefined): Promise<Answer> {
  const others = suggestion?.others ?? [];
  if (suggestion === undefined) return askSlot(prompts, 'agent', undefined);
  if (others.length === 0) return { kind: 'found', suggestion };
  const names = [suggestion.value, ...others];
  const auto = { value: 'auto', label: 'auto', hint: 'the first one that is installed and signed in when it runs' };
  const choices = [...names.map((name) => ({ value: name, label: name })), auto];
  const value = await prompts.choose({ message: slotOf('agent').question, choices });
  return value === suggestion.value ? { kind: 'found', suggestion } : { kind: 'given', value };
}

async function askSlot(prompts: Prompts, name: SlotName, suggestion: Suggestion | undefined): Promise<Answer> {
  const { question, otherwise } = slotOf(name);
  const initial = suggestion?.value ?? valueToEdit(otherwise);
  const value = await prompts.text({
    message: question,
    ...(initial === undefined ? { whenEmpty: otherwise.comment } : { initial }),
  });
  if (suggestion !== undefined && value === suggestion.value) return { kind: 'found', suggestion };
  if (value !== '' && value !== valueToEdit(otherwise)) return { kind: 'given', value };
  return 'absent' in otherwise && suggestion !== undefined ? { kind: 'none' } : { kind: 'unknown' };
}

/** A default of one line that is a value and no stand-in for a command. */
function valueToEdit(otherwise: ReturnType<typeof slotOf>['otherwise']): string | undefined {
  return 'absent' in otherwise || /\n|exit 127/.test(otherwise.value) ? undefined : otherwise.value;
}

import type { CANCEL_SYMBOL } from '@clack/prompts';

import { terminalText } from '#cli/terminal-text.ts';
import { type Choice, Left, type Prompts } from '#cli/wizard/prompts.ts';

// Loaded by the first question: few commands ask one.
const load = () => import('@clack/prompts');

/** Questions at the terminal of this process. */
export function terminalPrompts(): Prompts {
  return {
    async text({ message, initial, whenEmpty, check }) {
      const { text } = await load();
      const answer = await text({
        message: terminalText(message),
        ...(initial === undefined ? {} : { initialValue: initial }),
        ...(whenEmpty === undefined ? {} : { placeholder: terminalText(whenEmpty) }),
        validate: (typed) => check?.((typed ?? '').trim()),
      });
      return (await kept(answer)).trim();
    },
    async choose({ message, choices }) {
      const { select } = await load();
      const index = await kept(await select({ message: terminalText(message), options: optionsOf(choices) }));
      return valueAt(choices, index);
    },
    async chooseSome({ message, choices, taken }) {
      const { multiselect } = await load();
      const initialValues = choices.flatMap(({ value }, index) => (taken.includes(value) ? [index] : []));
      const options = optionsOf(choices);
      const chosen = await kept(
        await multiselect({ message: terminalText(message), options, initialValues, required: false }),
      );
      return chosen.toSorted((a, b) => a - b).map((index) => valueAt(choices, index));
    },
    async confirm({ message, initial }) {
      const { confirm } = await load();
      return kept(await confirm({ message: terminalText(message), initialValue: initial }));
    },
    async show(title, text) {
      const { log } = await load();
      log.step(terminalText(title));
      // As it is, not in a box: a definition that a narrow terminal broke would be another one.
      process.stdout.write(`${terminalText(text)}\n`);
    },
  };
}

function optionsOf(choices: readonly Choice<unknown>[]): { value: number; label: string; hint?: string }[] {
  return choices.map(({ label, hint }, index) => ({
    value: index,
    label: terminalText(label),
    ...(hint === undefined ? {} : { hint: terminalText(hint) }),
  }));
}

function valueAt<T>(choices: readonly Choice<T>[], index: number): T {
  const choice = choices[index];
  if (choice === undefined) throw new RangeError(`there is no choice ${index}`);
  return choice.value;
}

/** A question that was left is a symbol of the library. */
async function kept<T>(answer: T | typeof CANCEL_SYMBOL): Promise<T> {
  const { isCancel } = await load();
  if (isCancel(answer)) throw new Left();
  return answer;
}

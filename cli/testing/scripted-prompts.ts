import { type Choice, Left, type Prompts } from '#cli/wizard/prompts.ts';

/** A person's answer: a text, a label (of several, a list of labels), yes or no, or Ctrl-C. Undefined takes what stands there. */
export type ScriptedAnswer = string | boolean | readonly string[] | undefined | { leave: true };

export interface ScriptedPrompts extends Prompts {
  /** What was shown, by title. */
  shown: Map<string, string>;
  /** Questions that nobody asked. */
  left(): string[];
}

/**
 * A person who answers by the words of the question: each answer is for the first question that holds its words, once. A
 * question without an answer is a mistake of the test.
 */
export function scriptedPrompts(
  answers: readonly (readonly [words: string, answer: ScriptedAnswer])[],
): ScriptedPrompts {
  const open = [...answers];
  const shown = new Map<string, string>();
  const answerTo = (message: string): Exclude<ScriptedAnswer, { leave: true }> => {
    const index = open.findIndex(([words]) => message.includes(words));
    const [found] = index < 0 ? [] : open.splice(index, 1);
    if (found === undefined) throw new TypeError(`nobody answers "${message}"`);
    const [, answer] = found;
    if (typeof answer === 'object' && 'leave' in answer) throw new Left();
    return answer;
  };
  return {
    shown,
    left: () => open.map(([words]) => words),
    async text({ message, initial = '', check }) {
      const answer = answerTo(message) ?? initial;
      const wrong = typeof answer === 'string' ? check?.(answer) : 'a text is asked for';
      if (wrong !== undefined || typeof answer !== 'string') throw new TypeError(`${message} ${wrong}`);
      return answer;
    },
    choose: async ({ message, choices }) => chosen(message, choices, answerTo(message) ?? choices[0]?.label),
    async chooseSome({ message, choices, taken }) {
      const labels = answerTo(message);
      return Array.isArray(labels) ? labels.map((label: unknown) => chosen(message, choices, label)) : [...taken];
    },
    confirm: async ({ message, initial }) => (answerTo(message) ?? initial) === true,
    show: async (title, text) => void shown.set(title, text),
  };
}

function chosen<T>(message: string, choices: readonly Choice<T>[], label: unknown): T {
  const choice = choices.find((each) => each.label === label);
  if (choice !== undefined) return choice.value;
  throw new TypeError(`${message} has no ${String(label)}; it has ${choices.map((each) => each.label).join(', ')}`);
}

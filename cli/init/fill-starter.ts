import { unreachable } from '#core/exhaustive.ts';
import { literalTemplate } from '#core/template/literal.ts';

import { isSlotName, type SlotName, slotOf, type Suggestion } from '#cli/init/slots.ts';

/** What stands in a slot: what a person said, what the repository told, or nothing. */
export type Answer =
  | { kind: 'given'; value: string }
  /** The person wants none, where the slot allows that. */
  | { kind: 'none' }
  | { kind: 'found'; suggestion: Suggestion }
  | { kind: 'unknown' };

export type Answers = Partial<Record<SlotName, Answer>>;

const mark = /<<(\??)([\w-]+)(\|text)?>>/g;

/** The slots of a starter's text, in the order of reading. */
export function slotsIn(text: string): SlotName[] {
  const names = [...text.matchAll(mark)].flatMap(([, , name = '']) => (isSlotName(name) ? [name] : []));
  return [...new Set(names)];
}

/**
 * The text of a starter with its slots filled. `<<slot>>` is a YAML scalar (of a list, a flow list), `<<slot|text>>` the value
 * as it is, and a line `# <<?slot>>` the comment that says where the value comes from. A line whose slot stays empty goes.
 */
export function fillStarter(text: string, answers: Answers): string {
  return text
    .split('\n')
    .flatMap((line) => fillLine(line, answers))
    .join('\n');
}

function fillLine(line: string, answers: Answers): string[] {
  const [found] = line.matchAll(mark);
  if (found === undefined) return [line];
  const [, question, name = ''] = found;
  if (question === '?') {
    const comment = isSlotName(name) ? commentOf(name, answers[name] ?? { kind: 'unknown' }) : undefined;
    return comment === undefined ? [] : [line.replace(mark, () => comment)];
  }
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  let isEmpty = false;
  const filled = line.replace(mark, (whole, _question, slot: string, raw?: string) => {
    if (!isSlotName(slot)) return whole;
    const value = valueOf(slot, answers[slot] ?? { kind: 'unknown' });
    if (value === undefined) isEmpty = true;
    return raw === undefined
      ? written(slot, value ?? '')
      : literalTemplate(value ?? '').replaceAll('\n', `\n${indent}`);
  });
  return isEmpty ? [] : [filled];
}

function valueOf(name: SlotName, answer: Answer): string | undefined {
  switch (answer.kind) {
    case 'given':
      return answer.value;
    case 'found':
      return answer.suggestion.value;
    case 'none':
      return undefined;
    case 'unknown': {
      const { otherwise } = slotOf(name);
      return 'absent' in otherwise ? undefined : otherwise.value;
    }
    default:
      return unreachable(answer);
  }
}

function commentOf(name: SlotName, answer: Answer): string | undefined {
  if (answer.kind === 'given' || answer.kind === 'none') return undefined;
  if (answer.kind === 'unknown') return slotOf(name).otherwise.comment;
  const { because, others = [] } = answer.suggestion;
  const also = others.length === 0 ? '' : ` Also possible: ${others.join(', ')}.`;
  return `Found: ${because}.${also}`.replaceAll(/\s+/g, ' ');
}

function written(name: SlotName, value: string): string {
  if (slotOf(name).kind !== 'list') return scalar(literalTemplate(value));
  const patterns = value.split(',').flatMap((part) => (part.trim() === '' ? [] : [JSON.stringify(part.trim())]));
  return `[${patterns.join(', ')}]`;
}

/** Plain where YAML reads it back as this text in any place, also inside of braces; else in double quotes. */
function scalar(value: string): string {
  const plain = /^[A-Za-z][\w./+@=-]*(?: [\w./+@=&-]+)*$/;
  const word = /^(?:true|false|null|yes|no|on|off)$/i;
  return /^\d+$/.test(value) || (plain.test(value) && !word.test(value)) ? value : JSON.stringify(value);
}

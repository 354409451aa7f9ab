import { head } from '#core/text/tail.ts';

/** A decision's comment where only a line of it fits, in characters. */
const commentCharacters = 1_000;

/** The comment as one line, cut with an ellipsis. */
export function commentLine(message: string): string {
  const line = message.trim().replaceAll(/\s+/g, ' ');
  return line.length <= commentCharacters ? line : `${head(line, commentCharacters - 1)}…`;
}

/** What a person said, as Markdown for the next pass: the comment, then each field of the form. */
export function answerText(message: string, form: Readonly<Record<string, unknown>> | undefined): string {
  const fields = Object.entries(form ?? {}).map(([name, value]) => fieldText(name, value));
  return [message.trim(), fields.join('\n')].filter((part) => part !== '').join('\n\n');
}

function fieldText(name: string, value: unknown): string {
  if (typeof value !== 'string') return `- ${name}: ${JSON.stringify(value) ?? ''}`;
  if (!value.includes('\n')) return `- ${name}: ${value}`;
  return `- ${name}:\n${value.replaceAll(/^/gm, '  ')}`;
}

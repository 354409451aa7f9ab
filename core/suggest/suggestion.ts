import { z } from 'zod';

import { endOfBlock, jsonOf } from '#core/text/json-block.ts';

const short = z.string().trim().min(1).max(80);
const sentence = z.string().trim().min(1).max(600);
const oneLine = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .regex(/^[^\r\n]*$/, 'must be one line');

/** What an agent suggests for a task (E-21). It is data for a person to read: nothing of it is ever run before that. */
export const Suggestion = z.strictObject({
  name: short,
  checks: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('command'), name: short, run: oneLine, why: sentence }),
        z.strictObject({ kind: z.literal('review'), name: short, criterion: sentence, why: sentence }),
      ]),
    )
    .min(1)
    .max(8)
    .refine((checks) => checks.some(({ kind }) => kind === 'command'), 'at least one check must be a command')
    .refine((checks) => new Set(checks.map(({ name }) => name)).size === checks.length, 'the names must differ'),
  /** `all` checks must pass, or `any` of them. */
  mode: z.enum(['all', 'any']),
  /** The cap: so many passes at most. */
  passes: z.number().int().min(1).max(50),
  why: sentence,
});
export type Suggestion = z.infer<typeof Suggestion>;

export type SuggestionRead = { kind: 'read'; suggestion: Suggestion } | { kind: 'unclear'; why: string };

const longest = 200_000;
const mostIssues = 5;

/** The last JSON object of an answer, fenced or not, that is no quote of `brief`, by the schema. */
export function readSuggestion(answer: string, brief: string): SuggestionRead {
  if (answer.length > longest) return { kind: 'unclear', why: `the answer is longer than ${longest} characters` };
  const last = objectsIn(answer.replaceAll(brief.trim(), '\n')).at(-1);
  if (last === undefined) return { kind: 'unclear', why: 'the answer holds no JSON object' };
  const parsed = Suggestion.safeParse(last);
  if (parsed.success) return { kind: 'read', suggestion: parsed.data };
  const issues = parsed.error.issues.slice(0, mostIssues);
  const told = issues.map(({ path, message }) => `${path.length === 0 ? 'the object' : path.join('.')}: ${message}`);
  return { kind: 'unclear', why: told.join('; ') };
}

/** Objects that stand in a text one after the other; what is inside of one is a part of it. */
function objectsIn(text: string): object[] {
  const found: object[] = [];
  const opening = /\{\s*"/g;
  for (let start = opening.exec(text); start !== null; start = opening.exec(text)) {
    const end = endOfBlock(text, start.index);
    const value = end === undefined ? undefined : jsonOf(text.slice(start.index, end));
    if (end === undefined || value === undefined) continue;
    found.push(value);
    opening.lastIndex = end;
  }
  return found;
}

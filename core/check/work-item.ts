import { z } from 'zod';

import { oneLine } from '#core/text/quote.ts';

/** One thing of the agent's own worklist. What is written as a text alone is open. */
export interface WorkItem {
  task: string;
  done: boolean;
  /** What else the item says of itself: `notes: …`, as many lines as it has. Absent when it says no more. */
  details?: string[];
}

/** The words that worklists in use have for the same two things; the first that an item has counts. */
const taskKeys = ['task', 'title', 'name', 'description', 'id'] as const;
const doneKeys = ['done', 'passes', 'completed'] as const;

/** A text, or a mapping that says what is to be done and whether it is (F16: `{id, title, passes, notes, …}`). */
export const WorkItem = z.unknown().transform((value, context): WorkItem => {
  if (typeof value === 'string') return { task: value, done: false };
  const written = z.record(z.string(), z.unknown()).safeParse(value).data ?? {};
  const task = taskKeys.find((key) => typeof written[key] === 'string');
  const done = doneKeys.map((key) => written[key]).find((entry) => typeof entry === 'boolean');
  if (task === undefined || done === undefined) {
    context.addIssue({ code: 'custom', message: 'It says not what is to be done, or not whether it is.' });
    return z.NEVER;
  }
  const details = detailsOf(Object.entries(written).filter(([key]) => key !== task));
  return { task: String(written[task]), done, ...(details.length === 0 ? {} : { details }) };
});

function detailsOf(entries: readonly (readonly [string, unknown])[]): string[] {
  return entries.flatMap(([key, value]) => {
    const texts = z.union([z.string().transform((text) => [text]), z.array(z.string())]).safeParse(value).data ?? [];
    const said = texts.filter((text) => text.trim() !== '');
    return said.length === 0 ? [] : [`${key}: ${said.join('; ')}`];
  });
}

const mostCharacters = 5000;
const mostItems = 100;
/** Beyond it items are named without what else they say, so that a brief stays one. */
const mostDetails = 30_000;

/** The open items as a list, for the next brief. */
export function worklistText(worklist: readonly WorkItem[]): string {
  const open = worklist.filter(({ done }) => !done);
  const lines: string[] = [];
  let spent = 0;
  for (const { task, details = [] } of open.slice(0, mostItems)) {
    lines.push(`- ${oneLine(task, 1000)}`);
    if (spent > mostDetails) continue;
    const said = details.flatMap((detail) => indented(detail.slice(0, mostCharacters)));
    spent += said.join('\n').length;
    if (spent <= mostDetails) lines.push(...said);
  }
  if (open.length > mostItems) lines.push(`- … and ${open.length - mostItems} more`);
  return lines.join('\n');
}

/** Its lines as they are written, below the item that they belong to; nothing in them is taken for anything but text. */
function indented(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trimEnd());
  return lines.map((line, index) => (index === 0 ? `  ${line}` : `    ${line}`));
}

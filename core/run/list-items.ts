import { jsonTextOf } from '#core/text/json-block.ts';

/** How much of a list a call takes: each item is a field of a record and of a child run's input. */
export const listLimits = { items: 1000, itemCharacters: 8 * 1024, characters: 256 * 1024 };

/** How a text that is no JSON is taken apart: each line is an item, or each word (D-14). */
export type ListSplit = 'lines' | 'words';

export type ListItems = { kind: 'items'; items: string[] } | { kind: 'bad'; reason: string };

/**
 * The items of a list that a template gave (`for.each`): a JSON array of texts, numbers, booleans and objects, objects as
 * JSON text; of any other text the lines that are not empty, or its words. One code fence around the whole is taken off:
 * agents like to put one there. A text in brackets that is no JSON is told, rather than taken for lines.
 */
export function itemsOf(text: string, split: ListSplit = 'lines'): ListItems {
  const list = withoutFence(text.trim());
  const items = list.startsWith('[') && list.endsWith(']') ? itemsOfJson(list) : partsOf(list, split);
  return typeof items === 'string' ? { kind: 'bad', reason: items } : withinLimits(items);
}

function withoutFence(text: string): string {
  return /^```[\w-]*\n([\s\S]*)\n```$/.exec(text)?.[1]?.trim() ?? text;
}

function partsOf(text: string, split: ListSplit): string[] {
  if (split === 'lines') return linesOf(text);
  return isJsonObject(text) ? [text] : wordsOf(text);
}

/** What is longer than an item may be is none. */
function isJsonObject(text: string): boolean {
  return text.length <= listLimits.itemCharacters && fieldsOfItem(text) !== undefined;
}

/** Between white space, `,`, `;` and `|`; double quotes hold a word together and are left out. */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:"[^"]*"|[^\s,;|"]+|")+/g) ?? [];
  return words.map((word) => word.replaceAll('"', '')).filter((word) => word !== '');
}

/** The fields of an item that is an object, each as text; undefined where it is none. */
export function fieldsOfItem(item: string): Record<string, string> | undefined {
  if (!item.startsWith('{')) return undefined;
  try {
    const fields: unknown = JSON.parse(item);
    const entries = typeof fields === 'object' && fields !== null ? Object.entries(fields) : [];
    return Object.fromEntries(entries.map(([name, value]) => [name, itemOf(value) ?? jsonTextOf(value) ?? '']));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function itemsOfJson(text: string): string[] | string {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `it is in brackets but no JSON array: ${error.message.slice(0, 200)}`;
  }
  if (!Array.isArray(values)) return 'it is no array';
  const items: string[] = [];
  for (const value of values) {
    const item = itemOf(value);
    if (item === undefined) return `item ${items.length + 1} is ${whatIs(value)}`;
    items.push(item);
  }
  return items;
}

function itemOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return jsonTextOf(value);
}

function whatIs(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : 'nested too deep';
}

function withinLimits(items: string[]): ListItems {
  const { items: most, itemCharacters, characters } = listLimits;
  if (items.length > most) return { kind: 'bad', reason: `it has ${items.length} items; ${most} at most` };
  const long = items.findIndex((item) => item.length > itemCharacters);
  if (long !== -1) {
    return { kind: 'bad', reason: `item ${long + 1} has more than ${itemCharacters / 1024} KiB` };
  }
  const all = items.reduce((sum, item) => sum + item.length, 0);
  if (all > characters) return { kind: 'bad', reason: `its items have more than ${characters / 1024} KiB together` };
  return { kind: 'items', items };
}

import { durationText } from '#core/plan/amounts.ts';

/** What stands in a document: what YAML and JSON can say. */
export type Written = string | number | boolean | null | Written[] | { [key: string]: Written };

/** `15m`; to the millionth of a second, which is as fine as a time is read. */
export function timeOf(seconds: number): string {
  return durationText(Number(seconds.toFixed(6)));
}

/** A mapping without the keys that say nothing. */
export function mappingOf(keys: Readonly<Record<string, Written | undefined>>): { [key: string]: Written } {
  const entries = Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return Object.fromEntries(entries);
}

/** The mapping, or the one value of it that says all when it is alone. */
export function shortest(key: string, keys: Readonly<Record<string, Written | undefined>>): Written {
  const mapping = mappingOf(keys);
  const only = mapping[key];
  return only !== undefined && Object.keys(mapping).length === 1 ? only : mapping;
}

/** A list of one is written as the one. */
export function oneOrMore(list: readonly string[] | undefined): Written | undefined {
  if (list === undefined) return undefined;
  const [only] = list;
  return only !== undefined && list.length === 1 ? only : [...list];
}

export function noneOr(value: number | null | undefined, text: (value: number) => Written): Written | undefined {
  if (value === null) return 'none';
  return value === undefined ? undefined : text(value);
}

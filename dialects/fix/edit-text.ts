import type { Document, Node, Pair, YAMLMap } from 'yaml';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';

import { unreachable } from '#core/exhaustive.ts';
import type { Fix } from '#core/doctor/finding.ts';

/** A text with one mend, or undefined where it cannot surely be made. `path` is one of the document. */
export function editText(text: string, fix: Fix, path: string): string | undefined {
  const document = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false });
  if (document.errors.length > 0) return undefined;
  const keys = path === '' ? [] : path.split('.');
  switch (fix.kind) {
    case 'replace':
      return replaceIn(text, document, { keys, find: fix.find, replace: fix.replace });
    case 'add':
      return addTo(text, document, { keys, values: fix.values });
    case 'expectExit':
      return expectExit(text, document, { keys, command: fix.command, exit: fix.exit });
    default:
      return unreachable(fix);
  }
}

interface Replacing {
  keys: string[];
  find: string;
  replace: string;
}

/** Within the text as it is written, comments, quotes and folds included; else the value is quoted anew. */
function replaceIn(text: string, document: Document, { keys, find, replace }: Replacing): string | undefined {
  const node = nodeAt(document, keys) ?? nodeAt(document, keys.slice(0, -1));
  if (!isScalar(node) || typeof node.value !== 'string') return undefined;
  const { value } = node;
  if (value.split(find).length !== 2) return undefined;
  const wanted = value.replace(find, () => replace);
  const [start, end] = rangeOf(node);
  const written = text.slice(start, end);
  const isBlock = /^[|>]/.test(written);
  const edited = [
    ...(written.split(find).length === 2 ? [written.replace(find, () => replace)] : []),
    ...(isBlock ? [] : [JSON.stringify(wanted)]),
  ];
  return edited.map((each) => splice(text, { start, end, by: each })).find((each) => saysAt(each, keys, wanted));
}

/** Whether the new text has the value that is wanted where it is wanted. */
function saysAt(text: string, keys: readonly string[], wanted: string): boolean {
  const document = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false });
  if (document.errors.length > 0) return false;
  const node = nodeAt(document, keys) ?? nodeAt(document, keys.slice(0, -1));
  return isScalar(node) && typeof node.value === 'string' && node.value.trim() === wanted.trim();
}

/** Entries of a list that is there, or the list in the nearest mapping that is. */
function addTo(
  text: string,
  document: Document,
  { keys, values }: { keys: string[]; values: readonly string[] },
): string | undefined {
  const list = nodeAt(document, keys);
  const quoted = values.map((value) => JSON.stringify(value)).join(', ');
  if (isSeq(list)) {
    const last = list.items.at(-1);
    const end = last === undefined ? undefined : rangeOf(last)[1];
    if (end === undefined) return undefined;
    if (list.flow === true) return splice(text, { start: end, end, by: `, ${quoted}` });
    const indent = indentAt(text, rangeOf(list)[0]);
    return splice(text, {
      start: end,
      end,
      by: values.map((value) => `\n${indent}- ${JSON.stringify(value)}`).join(''),
    });
  }
  if (list !== undefined) return undefined;
  return addKey(text, document, { keys, value: `[${quoted}]` });
}

function addKey(
  text: string,
  document: Document,
  { keys, value }: { keys: readonly string[]; value: string },
): string | undefined {
  for (let depth = keys.length - 1; depth >= 0; depth -= 1) {
    const parent = nodeAt(document, keys.slice(0, depth));
    if (parent === undefined) continue;
    if (!isMap(parent)) return undefined;
    const [key = '', ...rest] = keys.slice(depth);
    return insertKey(text, parent, { key, value, rest });
  }
  return undefined;
}

function insertKey(
  text: string,
  map: YAMLMap,
  { key, value, rest }: { key: string; value: string; rest: readonly string[] },
): string | undefined {
  const first = map.items[0];
  const last = map.items.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const isJson = text.trimStart().startsWith('{');
  const name = (word: string): string => (isJson ? JSON.stringify(word) : word);
  const inner = rest.toReversed().reduce((inside, word) => `{ ${name(word)}: ${inside} }`, value);
  const entry = `${name(key)}: ${inner}`;
  if (map.flow === true) {
    const end = endOfPair(last);
    return end === undefined ? undefined : splice(text, { start: end, end, by: `, ${entry}` });
  }
  const start = startOfPair(first);
  if (start === undefined) return undefined;
  // A mapping of the whole text grows at its end, where people look for what was added.
  const atTop = indentAt(text, start) === '' && rangeOf(map)[0] === start && start === firstContent(text);
  if (atTop) return `${text.trimEnd()}\n${entry}\n`;
  return splice(text, { start, end: start, by: `${entry}\n${indentAt(text, start)}` });
}

/** A check that is written as a command alone becomes a mapping; one that is a mapping gets the key. */
function expectExit(
  text: string,
  document: Document,
  { keys, command, exit }: { keys: string[]; command: string; exit: number },
): string | undefined {
  const check = nodeAt(document, keys.slice(0, -1));
  const run = JSON.stringify(command);
  const isJson = text.trimStart().startsWith('{');
  if (isScalar(check)) {
    const by = isJson
      ? `{ "run": ${run}, "expect": { "exit": ${exit} } }`
      : `{ run: ${run}, expect: { exit: ${exit} } }`;
    const [start, end] = rangeOf(check);
    if (/^[|>]/.test(text.slice(start, end))) return undefined;
    return splice(text, { start, end, by });
  }
  const node = nodeAt(document, keys);
  if (!isMap(check) || check.has('expect') || !isScalar(node)) return undefined;
  const [start, end] = rangeOf(node);
  if (/^[|>]/.test(text.slice(start, end))) return undefined;
  const expect = isJson ? `"expect": { "exit": ${exit} }` : `expect: { exit: ${exit} }`;
  const between = check.flow === true ? ', ' : `\n${indentAt(text, startOfPair(check.items[0]) ?? 0)}`;
  return splice(text, { start, end, by: `${run}${between}${expect}` });
}

function nodeAt(document: Document, keys: readonly string[]): Node | undefined {
  let node: unknown = document.contents;
  for (const key of keys) {
    if (isMap(node))
      node = node.items.find((pair) => isScalar(pair.key) && String(pair.key.source ?? pair.key.value) === key)?.value;
    else if (isSeq(node)) node = node.items[Number(key)];
    else return undefined;
  }
  return isScalar(node) || isMap(node) || isSeq(node) ? node : undefined;
}

function rangeOf(node: unknown): [number, number] {
  const range = isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined;
  return [range?.[0] ?? 0, range?.[1] ?? 0];
}

function startOfPair(pair: Pair | undefined): number | undefined {
  return isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
}

function endOfPair({ value }: Pair): number | undefined {
  return isScalar(value) || isMap(value) || isSeq(value) ? value.range?.[1] : undefined;
}

/** What stands before a place on its line, as blanks: `- ` of a list counts as two. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return line.replaceAll(/\S/g, ' ');
}

function firstContent(text: string): number {
  return /^(?:[ \t]*(?:#[^\n]*)?\n|---[^\n]*\n)*/.exec(text)?.[0].length ?? 0;
}

function splice(text: string, { start, end, by }: { start: number; end: number; by: string }): string {
  return text.slice(0, start) + by + text.slice(end);
}

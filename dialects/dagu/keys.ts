import { didYouMean } from '#core/issue/nearest.ts';
import type { Position, SourceNode } from '#dialects/source/node.ts';
import { isNull } from '#dialects/source/node.ts';
import type { Field, Reading, Shape, ShapeOf } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';

/** Every key that Dagu knows at one place, by its name of today. */
export interface Keys<S extends Shape> {
  /** What is read. */
  shape: S;
  /** What Dagu does with it and we do not: the native way. An issue (D-19). */
  notRun?: Readonly<Record<string, string>>;
  /** What changes nothing here: why. A warning. */
  noEffect?: Readonly<Record<string, string>>;
  /** What says nothing about how a run goes. */
  aside?: readonly string[];
  /** Names that Dagu had before, beside the same words in camelCase. */
  older?: Readonly<Record<string, string>>;
  /** Keys that say nothing where they are written without a value. */
  empty?: readonly string[];
  /** Takes the keys that are not known. */
  others?: (key: string, value: SourceNode, path: string) => void;
}

/** A mapping with these keys, each under its name of today; what is unknown is an issue with the nearest name. */
export function mappingOf<const S extends Shape>(keys: Keys<S>): Field<ShapeOf<S>> {
  const { shape, notRun = {}, noEffect = {}, aside = [], others } = keys;
  const known = [...Object.keys(shape), ...Object.keys(notRun), ...Object.keys(noEffect), ...aside];
  const isKnown = new Set(known);
  return (node, path, reading) => {
    if (node.kind !== 'map') return reading.reportType(node, path, `a mapping with ${shown(Object.keys(shape))}`);
    const values = new Map<string, unknown>();
    const seen = new Map<string, string>();
    for (const { key, keyAt, value } of node.entries) {
      const at = below(path, key);
      const name = nameToday(key, keys, isKnown);
      const other = seen.get(name);
      seen.set(name, key);
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (isNull(value) && keys.empty?.includes(name) === true) continue;
      if (other !== undefined) {
        reading.report(at, 'definition/conflict', `\`${key}\` and \`${other}\` are one key; keep \`${name}\``, keyAt);
      } else if (field !== undefined) {
        const read = field(value, at, reading);
        if (read !== undefined) values.set(name, read);
      } else if (isKnown.has(name)) {
        reportNotRead(keys, name, { key, at, keyAt, reading });
      } else if (others === undefined) {
        const message = `unknown key \`${key.slice(0, 80)}\`${hintFor(key, known, reading)}`;
        reading.report(at, 'definition/unknown-key', message, keyAt);
      } else others(key, value, at);
    }
    return Object.fromEntries(values) as ShapeOf<S>;
  };
}

function hintFor(key: string, known: readonly string[], { issues }: Reading): string {
  // Suggestions cost time, and a file with so many issues has enough of them.
  const meant = issues.length < 100 ? didYouMean(key, known) : '';
  if (meant !== '') return meant;
  if (/\s/.test(key)) return '; YAML reads a text with `: ` in it as a key: quote the whole text';
  return `; known here are ${shown(known.slice(0, 12))}`;
}

interface KeyAt {
  key: string;
  at: string;
  keyAt: Position | undefined;
  reading: Reading;
}

function reportNotRead(
  { notRun = {}, noEffect = {} }: Keys<Shape>,
  name: string,
  { key, at, keyAt, reading }: KeyAt,
): void {
  if (Object.hasOwn(notRun, name)) {
    reading.report(at, 'dialect/not-run', `\`${key}\` is not run by Setpoint; ${notRun[name]}`, keyAt);
  } else if (Object.hasOwn(noEffect, name)) {
    reading.warn(at, 'dialect/no-effect', `\`${key}\` has no effect: ${noEffect[name]}`, keyAt);
  }
}

function nameToday(key: string, { older = {} }: Keys<Shape>, known: ReadonlySet<string>): string {
  if (known.has(key)) return key;
  if (Object.hasOwn(older, key)) return older[key] ?? key;
  const snake = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (known.has(snake)) return snake;
  return Object.hasOwn(older, snake) ? (older[snake] ?? key) : key;
}

/** Whether a mapping has a key under its name of today or in camelCase. */
export function has(node: SourceNode, ...names: string[]): boolean {
  const camel = names.map((name) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  return node.kind === 'map' && node.entries.some(({ key }) => names.includes(key) || camel.includes(key));
}

function shown(keys: readonly string[]): string {
  return keys.map((key) => `\`${key}\``).join(', ');
}

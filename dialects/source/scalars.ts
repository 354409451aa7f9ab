import { didYouMean } from '#core/issue/nearest.ts';
import { amountUsd, durationSeconds } from '#core/plan/amounts.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { lastKey } from '#dialects/source/reading.ts';

/** Text keeps what was written (A14): `0755`, `1.10` and `no` are themselves. Empty text is an issue. */
export const text: Field<string> = (node, path, reading) => {
  const written = textOf(node, path, { reading, takes: 'text' });
  if (written?.trim() !== '') return written;
  reading.report(path, 'definition/empty', `\`${lastKey(path)}\` is empty; write its text`);
  return undefined;
};

/** As `text`, and may be empty: patterns (whose own issue says more), values of variables and defaults. */
export const textOrEmpty: Field<string> = (node, path, reading) =>
  textOf(node, path, { reading, takes: 'text; for empty text write `""`' });

function textOf(node: SourceNode, path: string, by: { reading: Reading; takes: string }): string | undefined {
  if (node.kind !== 'scalar' || (node.value === null && node.text === '')) {
    return by.reading.reportType(node, path, by.takes);
  }
  if (node.cut !== undefined) {
    const message = `\`${lastKey(path)}\` ends before \`${node.cut.slice(0, 40)}\`, which YAML takes for a comment; quote the text if it belongs to it, or put a space after the \`#\``;
    by.reading.warn(path, 'source/cut-by-comment', message);
  }
  if (!node.text.includes('\0')) return node.text;
  by.reading.report(path, 'definition/bad-character', `\`${lastKey(path)}\` holds a NUL character; remove it`);
  return undefined;
}

export const flag: Field<boolean> = (node, path, reading) => {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
  return reading.reportType(node, path, '`true` or `false`');
};

export function word<const W extends string>(words: readonly W[]): Field<W> {
  return (node, path, reading) => {
    const known = words.map((known) => `\`${known}\``).join(', ');
    if (node.kind !== 'scalar' || node.text === '') return reading.reportType(node, path, `one of ${known}`);
    const found = words.find((candidate) => candidate === node.text);
    if (found !== undefined) return found;
    const hint = didYouMean(node.text, words);
    const message = `\`${lastKey(path)}\` is one of ${known}, not \`${node.text.slice(0, 80)}\`${hint}`;
    reading.report(path, 'definition/unknown-value', message);
    return undefined;
  };
}

/** A whole number in decimal, so that `010` is never read as something else than it says. */
export function integer(min: number, max = 1_000_000): Field<number> {
  return (node, path, reading) => {
    const takes = `a whole number from ${min} to ${max}`;
    if (node.kind !== 'scalar' || !/^-?(?:0|[1-9]\d*)$/.test(node.text) || typeof node.value !== 'number') {
      return reading.reportType(node, path, takes);
    }
    if (node.value >= min && node.value <= max) return node.value;
    reading.report(path, 'definition/out-of-range', `\`${lastKey(path)}\` takes ${takes}, not ${node.text}`);
    return undefined;
  };
}

export function number(min: number, max: number): Field<number> {
  return (node, path, reading) => {
    const takes = `a number from ${min} to ${max}`;
    if (node.kind !== 'scalar' || typeof node.value !== 'number') return reading.reportType(node, path, takes);
    if (node.value >= min && node.value <= max) return node.value;
    reading.report(path, 'definition/out-of-range', `\`${lastKey(path)}\` takes ${takes}, not ${node.text}`);
    return undefined;
  };
}

const longestSeconds = 365 * 86_400;

/** `90s`, `15m`, `2h`, `3d`, in seconds. `zero`: whether no time at all is meant by `0s`. */
export function duration(options: { zero: boolean }): Field<number> {
  return (node, path, reading) => {
    if (node.kind !== 'scalar' || node.text === '') return reading.reportType(node, path, 'a time such as `15m`');
    const seconds = durationSeconds(node.text);
    const key = lastKey(path);
    if (seconds === undefined) {
      const bare = /^\d+$/.test(node.text) ? `; \`${node.text}\` has no unit` : `, not \`${node.text.slice(0, 80)}\``;
      reading.report(
        path,
        'definition/bad-duration',
        `\`${key}\` takes a time such as \`90s\`, \`15m\`, \`2h\` or \`3d\`${bare}`,
      );
      return undefined;
    }
    if (seconds <= longestSeconds && (seconds > 0 || options.zero)) return seconds;
    const range = options.zero ? 'at most 365d' : 'more than 0s and at most 365d';
    reading.report(path, 'definition/out-of-range', `\`${key}\` takes ${range}, not \`${node.text}\``);
    return undefined;
  };
}

/** `5 USD`, in USD. */
export const money: Field<number> = (node, path, reading) => {
  if (node.kind !== 'scalar' || node.text === '') return reading.reportType(node, path, 'an amount such as `5 USD`');
  const amount = amountUsd(node.text);
  if (amount !== undefined) return amount;
  const message = `\`${lastKey(path)}\` takes an amount above zero such as \`5 USD\`, not \`${node.text.slice(0, 80)}\``;
  reading.report(path, 'definition/bad-money', message);
  return undefined;
};

/** Either the word `none`, read as null, or what `field` takes. */
export function noneOr<T>(field: Field<T>): Field<T | null> {
  return (node, path, reading) => (node.kind === 'scalar' && node.text === 'none' ? null : field(node, path, reading));
}

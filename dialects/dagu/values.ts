import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { lastKey, oneOrMore } from '#dialects/source/reading.ts';
import { integer, number, text, textOrEmpty } from '#dialects/source/scalars.ts';

/** A text with its place: what it refers to is looked up once everything is read. */
export interface Written {
  text: string;
  path: string;
}

export const written: Field<Written> = (node, path, reading) => {
  const read = text(node, path, reading);
  return read === undefined ? undefined : { text: read, path };
};

/** As `written`, and may be empty. */
export const writtenOrEmpty: Field<Written> = (node, path, reading) => {
  const read = textOrEmpty(node, path, reading);
  return read === undefined ? undefined : { text: read, path };
};

/** One text, or a list of them. */
export const writtenList = oneOrMore(written, 'a text or a list of them');

/** A whole number, in quotes or not; one that Dagu would work out from a reference must be written out. */
export function whole(min: number, max = 1_000_000): Field<number> {
  const plain = integer(min, max);
  return (node, path, reading) => {
    if (refersTo(node)) return writeOut(path, reading);
    if (node.kind !== 'scalar' || typeof node.value !== 'string' || !/^\d{1,9}$/.test(node.text)) {
      return plain(node, path, reading);
    }
    return plain({ ...node, value: Number(node.text), text: String(Number(node.text)) }, path, reading);
  };
}

function refersTo(node: SourceNode): boolean {
  return node.kind === 'scalar' && typeof node.value === 'string' && refersToValue(node.text);
}

/** Whether Dagu or a shell would put something in place of a part of it. */
export function refersToValue(written: string): boolean {
  return /\$[\w({]|`/.test(written);
}

function writeOut(path: string, reading: Reading): undefined {
  const message = `\`${lastKey(path)}\` is a number that is fixed when the run starts; write the number in place of the reference`;
  reading.report(path, 'dialect/not-run', message);
  return undefined;
}

/** Seconds; 0 says none, so it is left out. */
export const seconds: Field<number> = (node, path, reading) => {
  const read = whole(0, 365 * 86_400)(node, path, reading);
  return read === 0 ? undefined : read;
};

/** Seconds between two attempts; a part of one is allowed. */
export const interval: Field<number> = (node, path, reading) => {
  const isPart = node.kind === 'scalar' && typeof node.value === 'number' && /^\d+\.\d+$/.test(node.text);
  return (isPart ? number(0, 365 * 86_400) : whole(0, 365 * 86_400))(node, path, reading);
};

/** Exit codes end at 255: a code of HTTP is none. */
export const exitCodes = oneOrMore(whole(0, 255), 'exit codes');

/** `true` is 2; `false` keeps the interval. */
export const backoff: Field<number> = (node, path, reading) => {
  if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value ? 2 : 1;
  return number(1, 100)(node, path, reading);
};

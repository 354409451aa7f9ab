import type { IssueCode } from '#core/issue/issue-codes.ts';
import type { Issue } from '#core/issue/issue.ts';
import { errorAt, warningAt } from '#core/issue/issue.ts';
import { didYouMean } from '#core/issue/nearest.ts';
import type { Position, SourceNode } from '#dialects/source/node.ts';
import { describeNode, isNull } from '#dialects/source/node.ts';

/** Collects the issues of one document while it is read. */
export class Reading {
  readonly issues: Issue[] = [];

  report(path: string, code: IssueCode, message: string, at?: Position): void {
    this.issues.push({ ...errorAt(path, code, message), ...at });
  }

  warn(path: string, code: IssueCode, message: string, at?: Position): void {
    this.issues.push({ ...warningAt(path, code, message), ...at });
  }

  /** Reports that `node` is not what its key takes, such as `a time like \`15m\``. */
  reportType(node: SourceNode, path: string, takes: string): undefined {
    const empty = node.kind === 'scalar' && node.value === null;
    const code = empty ? 'definition/empty' : 'definition/wrong-type';
    const what = path === '' ? 'a definition' : `\`${lastKey(path)}\``;
    this.report(path, code, `${what} takes ${takes}${empty ? '; it is empty' : `, not ${describeNode(node)}`}`);
    return undefined;
  }
}

/** Reads one value. `undefined` = an issue was reported, and the value is left out. */
export type Field<T> = (node: SourceNode, path: string, reading: Reading) => T | undefined;

export type Shape = Readonly<Record<string, Field<unknown>>>;
export type ShapeOf<S extends Shape> = { [K in keyof S]?: S[K] extends Field<infer T> ? T : never };

/** A mapping with exactly these keys, each optional; any other key is an issue that names the nearest known one. */
export function mapping<const S extends Shape>(shape: S): Field<ShapeOf<S>> {
  return (node, path, reading) => {
    if (node.kind !== 'map') return reading.reportType(node, path, `a mapping with ${keyList(Object.keys(shape))}`);
    const values: [string, unknown][] = [];
    for (const { key, keyAt, value } of node.entries) {
      const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (field === undefined) {
        reading.report(below(path, key), 'definition/unknown-key', unknownKey(key, Object.keys(shape)), keyAt);
        continue;
      }
      const read = field(value, below(path, key), reading);
      if (read !== undefined) values.push([key, read]);
    }
    return Object.fromEntries(values) as ShapeOf<S>;
  };
}

/** A mapping from names of the user's own to values of one kind. */
export function mapOf<T>(field: Field<T>, takes: string): Field<Record<string, T>> {
  return (node, path, reading) => {
    if (node.kind !== 'map') return reading.reportType(node, path, takes);
    const values: [string, T][] = [];
    for (const { key, value } of node.entries) {
      const read = field(value, below(path, key), reading);
      if (read !== undefined) values.push([key, read]);
    }
    return Object.fromEntries(values);
  };
}

export function listOf<T>(field: Field<T>, takes: string): Field<T[]> {
  return (node, path, reading) => {
    if (node.kind !== 'list') return reading.reportType(node, path, takes);
    return node.items.flatMap((item, index) => {
      const read = field(item, below(path, String(index)), reading);
      return read === undefined ? [] : [read];
    });
  };
}

/** As `field`; `null` is the same as no key, as in the files of systems that write every key. */
export function optional<T>(field: Field<T>): Field<T> {
  return (node, path, reading) => (isNull(node) ? undefined : field(node, path, reading));
}

/** A list, or one value in place of a list of one. */
export function oneOrMore<T>(field: Field<T>, takes: string): Field<T[]> {
  const list = listOf(field, takes);
  return (node, path, reading) => {
    if (node.kind === 'list') return list(node, path, reading);
    const read = field(node, path, reading);
    return read === undefined ? undefined : [read];
  };
}

/** A key of the format that this version does not act on: always an issue, never silently ignored. */
export function notYet(remedy: string): Field<never> {
  return (_node, path, reading) => {
    const message = `\`${lastKey(path)}\` is not supported by this version; ${remedy}`;
    reading.report(path, 'definition/not-yet', message);
    return undefined;
  };
}

/** A key that the original system knows and that is not run here: always an issue, which names the native way. */
export function notRun(nativeWay: string): Field<never> {
  return (_node, path, reading) => {
    reading.report(path, 'dialect/not-run', `\`${lastKey(path)}\` is not run by Setpoint; ${nativeWay}`);
    return undefined;
  };
}

export function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** The last key of a path that is no index: what a message calls the value. */
export function lastKey(path: string): string {
  const keys = path.split('.').filter((key) => !/^\d+$/.test(key));
  return keys.at(-1) ?? 'the definition';
}

function unknownKey(key: string, known: readonly string[]): string {
  const shown = key.length > 80 ? `${key.slice(0, 80)}…` : key;
  if (key === '<<') return 'unknown key `<<`: YAML 1.2 has no merge keys; write the keys out';
  const hint = didYouMean(key, known) || `; known here are ${keyList(known)}`;
  return `unknown key \`${shown}\`${hint}`;
}

const keysListed = 12;

/** A longer list would hide the message that it belongs to. */
function keyList(keys: readonly string[]): string {
  const listed = keys.slice(0, keysListed).map((key) => `\`${key}\``);
  const more = keys.length - listed.length;
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

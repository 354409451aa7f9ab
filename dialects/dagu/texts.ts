import type { IssueCode } from '#core/issue/issue-codes.ts';
import { literalTemplate } from '#core/template/literal.ts';
import { unsetVariables } from '#dialects/dagu/context-values.ts';
import { DoubleQuotes } from '#dialects/dagu/double-quotes.ts';
import type { Environment, VariableValue } from '#dialects/dagu/environment.ts';
import type { Found } from '#dialects/dagu/found.ts';
import type { Names } from '#dialects/dagu/names.ts';
import type { TextPiece } from '#dialects/dagu/references.ts';
import { readReferences } from '#dialects/dagu/references.ts';
import { documentsWithValues } from '#dialects/dagu/here-documents.ts';
import { ShellContext } from '#dialects/dagu/shell-context.ts';
import type { Written } from '#dialects/dagu/values.ts';
import type { Reading } from '#dialects/source/reading.ts';

/** What the texts of one step may refer to. */
export interface TextScope {
  names: Names;
  environment: Environment;
  /** The step that the texts belong to. */
  at: { id: string; name: string; isHandler: boolean };
  reading: Reading;
  /** `${ITEM}` stands for the item of a list. */
  item?: boolean;
  /** It is a value for somebody else's process, so a `$NAME` in it is meant to be worked out. */
  isValue?: boolean;
}

/** A text that no shell reads (a prompt, a question, a parameter) as a template. */
export function plainText({ text, path }: Written, scope: TextScope): string {
  const pieces = readReferences(text).map((piece) => {
    if (piece.kind === 'text') return literalTemplate(piece.text);
    if (piece.kind === 'variable') return plainVariable(piece.name, piece, { text, path }, scope);
    const field = scope.item === true ? /^ITEM\.([\w-]+)$/.exec(piece.path)?.[1] : undefined;
    if (field !== undefined) return `{{item.${field}}}`;
    const found = scope.names.value(piece.path, scope.at);
    if (found.kind === 'template') return found.template;
    if (found.kind === 'environment') return plainVariable(found.name, piece, { text, path }, scope);
    if (found.unowned !== true) report(scope, { text, path }, piece.at, [found.code, found.message]);
    return literalTemplate(piece.source);
  });
  return pieces.join('');
}

type Reference = Exclude<TextPiece, { kind: 'text' }>;

// A variable where it stands, and all that it may mean there.
// oxlint-disable-next-line max-params
function plainVariable(name: string, piece: Reference, written: Written, scope: TextScope): string {
  if (name === 'ITEM' && scope.item === true) return '{{item}}';
  const value = scope.environment.get(name);
  if (value?.kind === 'template') return value.template;
  const isText = value === undefined && piece.kind === 'variable' && scope.isValue !== true;
  if (isText) return literalTemplate(piece.source);
  const why =
    value === undefined
      ? `\`${name}\` is not defined in the file, and what a host has in its environment is put into no text; declare it under \`params\` or \`env\``
      : `\`${name}\` is worked out by the shell of a command, and no shell reads this text; let a step print it with \`output\``;
  report(scope, written, piece.at, ['dialect/not-run', `\`${piece.source}\`: ${why}`]);
  return '';
}

/**
 * A shell text as a template. Variables stay the shell's; each value of Dagu becomes a variable of the step, so that no
 * value is ever read as part of the command (A11), in single quotes and in here-documents too.
 */
export function shellText({ text, path }: Written, scope: TextScope): string {
  const pieces = readReferences(text);
  const context = new ShellContext(documentsWithValues(pieces, scope));
  const written = pieces.map((piece) => {
    if (piece.kind === 'text') return literalTemplate(context.read(piece.text));
    if (piece.kind === 'variable') warnIfUnset(piece, path, scope);
    const put = piece.kind === 'value' ? shellValue(piece, context, { text, path }, scope) : undefined;
    if (put === undefined) return literalTemplate(context.read(piece.source));
    context.read('x');
    return put;
  });
  return written.join('');
}

function warnIfUnset({ name, source }: Extract<Reference, { kind: 'variable' }>, path: string, scope: TextScope): void {
  if (!Object.hasOwn(unsetVariables, name) || scope.environment.get(name) !== undefined) return;
  scope.reading.warn(path, 'dialect/no-effect', `\`${source}\` is empty here; ${unsetVariables[name] ?? ''}`);
}

// One value with its place in the shell text.
// oxlint-disable-next-line max-params
function shellValue(
  piece: Extract<Reference, { kind: 'value' }>,
  context: ShellContext,
  written: Written,
  scope: TextScope,
): string | undefined {
  const place = context.place();
  const found = scope.names.value(piece.path, scope.at);
  if (place === 'comment') return undefined;
  if (found.kind === 'problem') {
    const inert = place === 'single' || place === 'literal-document';
    if (found.unowned !== true || !inert) report(scope, written, piece.at, [found.code, found.message]);
    return undefined;
  }
  const variable = found.kind === 'environment' ? found.name : scope.environment.bind(found);
  return place === 'single' ? `'"\${${variable}}"'` : `\${${variable}}`;
}

/** A script that another program reads: values are inserted as they are, as Dagu does. */
export function scriptText({ text, path }: Written, scope: TextScope): string {
  const pieces = readReferences(text).map((piece) => {
    if (piece.kind !== 'value') return literalTemplate(piece.kind === 'text' ? piece.text : piece.source);
    const found = scope.names.value(piece.path, scope.at);
    if (found.kind !== 'problem') return inserted(found, piece, { text, path }, scope);
    if (found.unowned !== true) report(scope, { text, path }, piece.at, [found.code, found.message]);
    return literalTemplate(piece.source);
  });
  return pieces.join('');
}

// oxlint-disable-next-line max-params
function inserted(
  found: Exclude<Found, { kind: 'problem' }>,
  piece: Reference,
  written: Written,
  scope: TextScope,
): string {
  const template = found.kind === 'template' ? found.template : plainVariable(found.name, piece, written, scope);
  return template.replaceAll(/(?<!\\)\{\{([\w.-]+)\}\}/g, '{{$1 | raw}}');
}

/** One word of a command whatever its value: as `exec` gives it, without a shell. */
export function wordText({ text, path }: Written, scope: TextScope): string {
  const pieces = readReferences(text).map((piece) => {
    if (piece.kind === 'text') return literalTemplate(quoted(piece.text));
    const known = piece.kind === 'variable' ? scope.environment.get(piece.name) : undefined;
    if (piece.kind === 'variable') return known === undefined ? orItself(piece) : `"\${${piece.name}}"`;
    const found = scope.names.value(piece.path, scope.at);
    if (found.kind === 'problem') {
      report(scope, { text, path }, piece.at, [found.code, found.message]);
      return '';
    }
    return `"\${${found.kind === 'environment' ? found.name : scope.environment.bind(found)}}"`;
  });
  return pieces.length === 0 ? "''" : pieces.join('');
}

/** A variable of the host, or its own name where the host has none. */
function orItself({ name, source }: Extract<TextPiece, { kind: 'variable' }>): string {
  return `"\${${name}-${source.replaceAll(/[$}]/g, String.raw`\$&`)}}"`;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The value of a variable: a template, or, where it has a command (`$(…)`, backticks), a default (`${x:-y}`) or a variable
 * that only the host knows, a text that each command's shell works out.
 */
export function variableValue({ text, path }: Written, scope: TextScope): VariableValue {
  const pieces = readReferences(text);
  if (!pieces.some((piece) => needsShell(piece, scope))) {
    return { kind: 'template', template: plainText({ text, path }, scope) };
  }
  return { kind: 'shell', quoted: doubleQuoted({ text, path }, scope) };
}

function needsShell(piece: TextPiece, { environment, names, at, item }: TextScope): boolean {
  if (piece.kind === 'text') return /(?<!\\)(?:`|\$[({])/.test(piece.text);
  const found = piece.kind === 'value' ? names.value(piece.path, at) : undefined;
  if (found !== undefined && found.kind !== 'environment') return false;
  const name = found?.name ?? (piece.kind === 'variable' ? piece.name : '');
  return environment.get(name)?.kind !== 'template' && !(name === 'ITEM' && item === true);
}

/** A text for double quotes in which variables and commands live, and quotes are text. */
export function doubleQuoted({ text, path }: Written, scope: TextScope): string {
  const quotes = new DoubleQuotes();
  const pieces = readReferences(text).map((piece) => {
    if (piece.kind === 'text') return literalTemplate(quotes.read(piece.text));
    if (piece.kind === 'variable') return piece.source;
    const found = scope.names.value(piece.path, scope.at);
    if (found.kind === 'problem') {
      report(scope, { text, path }, piece.at, [found.code, found.message]);
      return '';
    }
    const value = `\${${found.kind === 'environment' ? found.name : scope.environment.bind(found)}}`;
    return quotes.isLiteral ? `'"${value}"'` : value;
  });
  return pieces.join('');
}

// oxlint-disable-next-line max-params
function report(
  { reading }: TextScope,
  { text, path }: Written,
  at: number,
  [code, message]: [IssueCode, string],
): void {
  const line = text.trimEnd().includes('\n') ? ` (line ${text.slice(0, at).split('\n').length} of the text)` : '';
  reading.report(path, code, `${message}${line}`);
}

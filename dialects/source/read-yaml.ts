import type { Document, Node, Scalar, YAMLError, YAMLMap, YAMLSeq } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';

import type { IssueCode } from '#core/issue/issue-codes.ts';
import type { Issue } from '#core/issue/issue.ts';
import { errorAt } from '#core/issue/issue.ts';
import type { Position, SourceEntry, SourceNode } from '#dialects/source/node.ts';
import { sourceBounds } from '#dialects/source/node.ts';
import type { SourceRead } from '#dialects/source/read-value.ts';

/**
 * Reads YAML 1.2 (core schema) or JSON text (A14). Refused, with every issue and its position: more than 1 MiB,
 * duplicate keys, tags, aliases that expand without end. Never throws.
 */
export function readYaml(text: string): SourceRead {
  if (isTooLarge(text)) {
    const message = 'the file is larger than 1 MiB; move long texts into files of the repository';
    return { issues: [{ ...errorAt('', 'source/too-large', message), line: 1, column: 1 }] };
  }
  const refused = text.includes('\0') ? notText : bracketProblem(text);
  if (refused !== undefined) return { issues: [{ ...errorAt('', ...refused), line: 1, column: 1 }] };
  return new YamlReader().read(text);
}

/**
 * The parser takes seconds to give up on a megabyte of `[` or `,`, and no definition has as many. What stands in quotes
 * is counted too: both bounds are far above what a text of words holds.
 */
function bracketProblem(text: string): [IssueCode, string] | undefined {
  let open = 0;
  let marks = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === ',') marks += 1;
    else if (character === '[' || character === '{') {
      open += 1;
      marks += 1;
    } else if ((character === ']' || character === '}') && open > 0) open -= 1;
    if (open > bracketsOpen) return ['source/too-deep', tooDeep];
    if (marks > marksAtMost)
      return ['source/too-many-values', 'the text holds more values than any definition; make it smaller'];
  }
  return undefined;
}

/** UTF-8 takes at least one byte a unit: most oversized texts are refused by their length alone. */
function isTooLarge(text: string): boolean {
  if (text.length > sourceBounds.bytes) return true;
  if (text.length * 3 <= sourceBounds.bytes) return false;
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) bytes += 2;
    else bytes += 3;
  }
  return bytes > sourceBounds.bytes;
}

const emptyFile: [IssueCode, string] = [
  'source/empty',
  'the file holds no definition; write at least `task`, `agent` and `checks`',
];

const notText: [IssueCode, string] = [
  'source/syntax',
  'the file is no text: it holds NUL characters; a definition is YAML or JSON in UTF-8',
];

const tooDeep = 'values are nested far deeper than in any definition; remove the nesting';
const mergeConflict = 'the file holds two versions that Git could not merge; keep one, and remove the marks';
const problemsShown = 50;
const longestCut = 120;
const bracketsOpen = 2000;
const marksAtMost = 150_000;

class YamlReader {
  #text = '';
  readonly #lines = new LineCounter();
  readonly #issues: Issue[] = [];
  readonly #anchors = new Map<string, Node>();
  #nodes = 0;
  #expanded = 0;
  /** Where the outermost alias stands through which values are read; undefined outside of one. */
  #alias: number | undefined;
  #stopped = false;

  read(text: string): SourceRead {
    this.#text = text;
    const [first, ...others] = this.#parse(text);
    if (first === undefined) return { issues: this.#issues };
    const later = others.filter(({ contents, errors }) => errors.length > 0 || !isEmpty(contents));
    for (const [index, document] of [first, ...later].entries()) this.#reportSyntax(document, index);
    // What is left of a text with wrong syntax is guesswork: more issues about it would mislead.
    if ([first, ...later].some(({ errors }) => errors.length > 0)) return { issues: this.#issues };
    const { node } = this.#contents(first);
    if (node === undefined) return { issues: this.#issues };
    const more = later.flatMap((document, index) => this.#later(document, index + 1));
    if (this.#stopped) return { issues: this.#issues };
    return { node, issues: this.#issues, ...(more.length === 0 ? {} : { more }) };
  }

  #reportSyntax(document: Document.Parsed, index: number): void {
    const { explicit, version } = document.directives.yaml;
    if (explicit && version !== '1.2') {
      const message = `the file asks for YAML ${version}; definitions are YAML 1.2: remove the directive`;
      // A directive stands before its document; only the first has nothing else before it.
      this.#report(index === 0 ? 0 : document.range[0], '', ['source/syntax', message]);
    }
    this.#reportProblems([...document.errors, ...document.warnings]);
  }

  /** Anchors are those of one document. */
  #later(document: Document.Parsed, index: number): SourceNode[] {
    this.#anchors.clear();
    const node = document.contents === null ? undefined : this.#node(document.contents, laterPath(index), 0);
    return node === undefined ? [] : [node];
  }

  /** One problem a line: the parser repeats itself for each bracket that it then misses. */
  #reportProblems(problems: readonly YAMLError[]): void {
    const lines = new Set<number>();
    for (const { code, message, pos } of problems) {
      const { line } = this.#position(pos[0]);
      if (lines.has(line)) continue;
      lines.add(line);
      if (message.includes('call stack')) this.#report(pos[0], '', ['source/too-deep', tooDeep]);
      else if (this.#isConflict(pos[0])) this.#report(pos[0], '', ['source/syntax', mergeConflict]);
      else this.#report(pos[0], '', [code.startsWith('TAG') ? 'source/tag' : 'source/syntax', sentence(message)]);
      if (lines.size >= problemsShown || message.includes('call stack')) return;
    }
  }

  /** Git marks what it could not merge with seven of a character at the beginning of a line. */
  #isConflict(offset: number): boolean {
    const from = this.#text.lastIndexOf('\n', offset - 1) + 1;
    return /^(?:<{7} |>{7} |={7}[\r\n])/.test(this.#text.slice(from, from + 9));
  }

  #contents(document: Document.Parsed): SourceRead {
    const node = document.contents === null ? undefined : this.#node(document.contents, '', 0);
    if (this.#stopped) return { issues: this.#issues };
    if (node === undefined || (node.kind === 'scalar' && node.value === null)) {
      this.#report(0, '', emptyFile);
      return { issues: this.#issues };
    }
    return { node, issues: this.#issues };
  }

  #parse(text: string): Document.Parsed[] {
    try {
      const options = { version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false } as const;
      const documents = parseAllDocuments(text, { ...options, lineCounter: this.#lines });
      if (!Array.isArray(documents) || documents.length === 0) this.#report(0, '', emptyFile);
      return Array.isArray(documents) ? [...documents] : [];
    } catch (error) {
      const problem = error instanceof Error ? sentence(error.message) : String(error);
      this.#report(0, '', error instanceof RangeError ? ['source/too-deep', tooDeep] : ['source/syntax', problem]);
      return [];
    }
  }

  #node(node: Node, path: string, depth: number): SourceNode | undefined {
    this.#nodes += 1;
    if (this.#alias !== undefined) this.#expanded += 1;
    const at = node.range?.[0] ?? 0;
    if (this.#stopped || !this.#withinBounds(this.#alias ?? at, path, depth)) return undefined;
    if (isAlias(node)) return this.#target(node.source, at, { path, depth });
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return this.#scalar(node, at, path);
    if (isMap(node)) return { kind: 'map', at: this.#position(at), entries: this.#entries(node, path, depth) };
    return isSeq(node) ? { kind: 'list', at: this.#position(at), items: this.#items(node, path, depth) } : undefined;
  }

  /** What the anchor of that name stands for. */
  #target(name: string, at: number, { path, depth }: { path: string; depth: number }): SourceNode | undefined {
    const target = this.#anchors.get(name);
    if (target === undefined) {
      const message = `alias \`*${name}\` has no anchor before it; quote the value if it is text`;
      this.#report(at, path, ['source/syntax', message]);
      return unreadAt(this.#position(at));
    }
    const outer = this.#alias;
    this.#alias = outer ?? at;
    const read = this.#node(target, path, depth + 1);
    this.#alias = outer;
    return read;
  }

  #items(list: YAMLSeq, path: string, depth: number): SourceNode[] {
    const items: SourceNode[] = [];
    for (const [index, item] of list.items.entries()) {
      const child = this.#node(item as Node, join(path, String(index)), depth + 1);
      if (child !== undefined) items.push(child);
    }
    return items;
  }

  #withinBounds(at: number, path: string, depth: number): boolean {
    if (depth > sourceBounds.depth) {
      this.#stopped = true;
      const message = `values are nested deeper than ${sourceBounds.depth} levels; remove the nesting, or the alias that contains itself`;
      this.#report(at, path, ['source/too-deep', message]);
    } else if (this.#nodes > sourceBounds.nodes || this.#expanded > sourceBounds.expanded) {
      this.#stopped = true;
      const message = `aliases expand to more than ${sourceBounds.expanded} values; write the values out`;
      this.#report(at, path, ['source/alias-limit', message]);
    }
    return !this.#stopped;
  }

  #scalar(node: Scalar, at: number, path: string): SourceNode {
    const { value } = node;
    const common = { kind: 'scalar', at: this.#position(at), plain: node.type === 'PLAIN' } as const;
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return {
        ...common,
        text: node.source ?? (value === null ? '' : String(value)),
        value,
        ...this.#joined(node),
        ...this.#cut(node),
      };
    }
    this.#report(at, path, ['source/tag', 'the value carries a tag that has no meaning here; remove the tag']);
    return unreadAt(this.#position(at));
  }

  /** A comment or an indicator stands on the first line of a folded text. */
  #joined({ type, range, value }: Scalar): { joined?: string[] } {
    if (type !== 'BLOCK_FOLDED' && type !== 'PLAIN') return {};
    // A line that is indented deeper, or stands after an empty one, is a line of its own.
    if (typeof value !== 'string' || value.trimEnd().includes('\n')) return {};
    const [start, end] = range ?? [0, 0];
    const lines = this.#text.slice(start, end).trimEnd().split('\n');
    if (lines.length < 2) return {};
    return { joined: type === 'PLAIN' ? lines : lines.slice(1) };
  }

  #cut({ type, range }: Scalar): { cut?: string } {
    if (type !== 'PLAIN' || range == null) return {};
    const [, cut] = /^[ \t]+(#[^\s#].*)/.exec(this.#text.slice(range[1], range[1] + longestCut)) ?? [];
    return cut === undefined ? {} : { cut: cut.trimEnd() };
  }

  #entries(map: YAMLMap, path: string, depth: number): SourceEntry[] {
    const entries: SourceEntry[] = [];
    const seen = new Set<string>();
    for (const { key, value } of map.items) {
      const at = (key as Node | null)?.range?.[0] ?? map.range?.[0] ?? 0;
      const name = this.#key(key as Node | null, at, { path, seen });
      if (name === undefined) continue;
      const keyAt = this.#position(at);
      const child = value === null ? emptyAt(keyAt) : this.#node(value as Node, join(path, name), depth + 1);
      if (child !== undefined) entries.push({ key: name, keyAt, value: child });
    }
    return entries;
  }

  #key(key: Node | null, at: number, map: { path: string; seen: Set<string> }): string | undefined {
    if (!isScalar(key)) {
      this.#report(at, map.path, ['source/bad-key', 'a key must be a word, not a list, mapping or alias']);
      return undefined;
    }
    const name = key.source ?? String(key.value);
    if (map.seen.has(name)) {
      const message = `key \`${name}\` is written twice; keep one of the two`;
      this.#report(at, join(map.path, name), ['source/duplicate-key', message]);
      return undefined;
    }
    map.seen.add(name);
    return name;
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  #report(offset: number, path: string, [code, message]: [IssueCode, string]): void {
    const { line, column } = this.#position(offset);
    this.#issues.push({ ...errorAt(path, code, message), line, column });
  }
}

/** Where issues say that something of a document after the first stands; they count from 1. */
export function laterPath(index: number): string {
  return `documents.${index}`;
}

function isEmpty(contents: unknown): boolean {
  return contents === null || (isScalar(contents) && contents.value === null);
}

/** Stands for a value that has an issue, so that its key does not look empty or missing too. */
function unreadAt(at: Position): SourceNode {
  return { kind: 'scalar', at, text: 'unread', value: 'unread', plain: true };
}

function emptyAt(at: Position): SourceNode {
  return { kind: 'scalar', at, text: '', value: null, plain: true };
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function sentence(message: string): string {
  return message.split('\n')[0]?.trim() ?? message;
}

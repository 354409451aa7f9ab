import type { IssueCode } from '#core/issue/issue-codes.ts';

/**
 * The template language of prompts and commands (A11, V-20): `{{path}}`, `{{path | truncate:N | raw}}`,
 * `{{#if path}}…{{/if}}`. A literal `{{` is written `\{{`. Offsets count UTF-16 units from 0.
 */

/** What stands in a template, in order of reading; `#if` blocks are flat: `end` is the index of their `/if`. */
export type TemplatePart =
  | { kind: 'text'; text: string; offset: number }
  | { kind: 'insert'; path: string; offset: number; raw: boolean; truncate?: number }
  | { kind: 'if'; path: string; offset: number; end: number }
  | { kind: 'end'; offset: number };

interface TemplateIssue {
  code: IssueCode;
  message: string;
  /** Where the `{{` begins. */
  offset: number;
}

export interface ParsedTemplate {
  parts: TemplatePart[];
  issues: TemplateIssue[];
}

const deepestIf = 32;
const path = /^[A-Za-z_][\w-]*(?:\.[\w-]+)*$/;
const escapeRemedy = 'for a literal `{{` write `\\{{`';

/** Never throws; linear in the length. Every issue of the template is given, with where it is. */
export function parseTemplate(template: string): ParsedTemplate {
  const parsed: ParsedTemplate = { parts: [], issues: [] };
  const open: { index: number; offset: number }[] = [];
  let at = 0;
  while (at < template.length) {
    const start = template.indexOf('{{', at);
    if (start < 0) break;
    if (start > at && template[start - 1] === '\\') {
      addText(parsed, `${template.slice(at, start - 1)}{{`, at);
      at = start + 2;
      continue;
    }
    addText(parsed, template.slice(at, start), at);
    const close = template.indexOf('}}', start + 2);
    if (close < 0) {
      report(parsed, 'template/unclosed', start, `\`{{\` is never closed; add \`}}\`, or ${escapeRemedy}`);
      at = template.length;
      break;
    }
    readTag(parsed, open, template.slice(start + 2, close).trim(), start);
    at = close + 2;
  }
  addText(parsed, template.slice(at), at);
  for (const block of open) {
    report(parsed, 'template/unclosed-if', block.offset, '`{{#if …}}` has no `{{/if}}`; add it where the block ends');
  }
  return parsed;
}

function readTag(parsed: ParsedTemplate, open: { index: number; offset: number }[], tag: string, offset: number): void {
  if (tag === '/if') {
    const block = open.pop();
    if (block === undefined) {
      report(parsed, 'template/unclosed-if', offset, '`{{/if}}` closes nothing; remove it or add its `{{#if …}}`');
      return;
    }
    const start = parsed.parts[block.index];
    if (start?.kind === 'if') start.end = parsed.parts.length;
    parsed.parts.push({ kind: 'end', offset });
    return;
  }
  if (tag.startsWith('#if ')) {
    const condition = tag.slice(4).trim();
    if (!path.test(condition)) reportBadTag(parsed, tag, offset);
    if (open.length >= deepestIf) {
      report(
        parsed,
        'template/too-deep',
        offset,
        `\`{{#if …}}\` is nested deeper than ${deepestIf} levels; flatten it`,
      );
    }
    open.push({ index: parsed.parts.length, offset });
    parsed.parts.push({ kind: 'if', path: condition, offset, end: -1 });
    return;
  }
  readInsert(parsed, tag, offset);
}

function readInsert(parsed: ParsedTemplate, tag: string, offset: number): void {
  const [name = '', ...filters] = tag.split('|').map((piece) => piece.trim());
  if (!path.test(name)) {
    reportBadTag(parsed, tag, offset);
    return;
  }
  const insert: Extract<TemplatePart, { kind: 'insert' }> = { kind: 'insert', path: name, offset, raw: false };
  for (const filter of filters) {
    const truncate = /^truncate: *([1-9]\d{0,8})$/.exec(filter);
    if (filter === 'raw') insert.raw = true;
    else if (truncate !== null) insert.truncate = Number(truncate[1]);
    else {
      const message = `\`${shown(filter)}\` is no filter; use \`truncate:N\` (N at least 1) or \`raw\``;
      report(parsed, 'template/unknown-filter', offset, message);
    }
  }
  parsed.parts.push(insert);
}

function reportBadTag(parsed: ParsedTemplate, tag: string, offset: number): void {
  const message = `\`{{${shown(tag)}}}\` is no value, \`#if\` or \`/if\`; name a value such as \`inputs.x\`, or ${escapeRemedy}`;
  report(parsed, 'template/bad-tag', offset, message);
}

function report(parsed: ParsedTemplate, code: IssueCode, offset: number, message: string): void {
  parsed.issues.push({ code, message, offset });
}

function addText(parsed: ParsedTemplate, text: string, offset: number): void {
  if (text.length > 0) parsed.parts.push({ kind: 'text', text, offset });
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

import { Fault } from '#core/contract/fault.ts';
import { unreachable } from '#core/exhaustive.ts';
import { fieldsOfItem } from '#core/run/list-items.ts';
import type { TemplatePart } from '#core/template/parse.ts';
import { parseTemplate } from '#core/template/parse.ts';

/** The values that a template may name, by dotted path (`inputs.x`, `steps.plan.output`). An absent one is empty. */
export type TemplateScope = Readonly<Record<string, string>>;

export interface TemplateValues {
  inputs: Readonly<Record<string, string>>;
  /** Output text by step id, and by `<step>.outputs.<name>`; steps that have not run yet are left out. */
  outputs: Readonly<Record<string, string>>;
  feedback: string;
  /** How often the step was re-entered: 0 in its first pass (V-21). */
  iteration: number;
  /** `base`, `artifacts` and `status` where the run has them. */
  run: { id: string; name: string; base?: string; artifacts?: string; status?: string };
  /** What the condition of the loop that asked for this pass found, by name (C-12). */
  condition?: Readonly<Record<string, string>>;
  /** Of the child run that is to be started for it; `index` counts from 0. The fields of a JSON object are `item.name`. */
  item?: { text: string; index: number };
}

export function templateScope(values: TemplateValues): TemplateScope {
  const scope: [string, string][] = [
    ['feedback', values.feedback],
    ['loop.iteration', String(values.iteration)],
  ];
  for (const [name, value] of Object.entries(values.run)) scope.push([`run.${name}`, value]);
  for (const [name, value] of Object.entries(values.condition ?? {})) scope.push([`condition.${name}`, value]);
  for (const [name, value] of Object.entries(values.inputs)) scope.push([`inputs.${name}`, value]);
  for (const [step, value] of Object.entries(values.outputs)) {
    scope.push([step.includes('.') ? `steps.${step}` : `steps.${step}.output`, value]);
  }
  if (values.item !== undefined) {
    scope.push(['item', values.item.text], ['index', String(values.item.index)]);
    const fields = fieldsOfItem(values.item.text) ?? {};
    for (const [name, value] of Object.entries(fields)) scope.push([`item.${name}`, value]);
  }
  return Object.fromEntries(scope);
}

/**
 * Renders a prompt (A11). Values are inserted literally and once: nothing in them is read as template.
 * `{{#if x}}` holds unless x is empty, `0` or `false`. Throws `template/unresolved` when the template does not parse,
 * which `compile` rules out.
 */
export function renderPrompt(template: string, scope: TemplateScope): string {
  return render(template, scope, (value) => value);
}

/**
 * Renders a command for `sh -c` (A11): each inserted value is one quoted word, unless `| raw`. A command that is
 * nothing but one input, `{{inputs.x}}`, is that input's text: who gives the input gives the command.
 * NUL cannot stand in a command and is left out. Throws as `renderPrompt` does.
 */
export function renderCommand(template: string, scope: TemplateScope): string {
  const whole = wholeCommandInput(template);
  return render(template, scope, (value, raw) => {
    const text = value.replaceAll('\0', '');
    return raw || whole ? text : shellWord(text);
  });
}

/** True when a command consists of one inserted input alone. */
function wholeCommandInput(template: string): boolean {
  return /^\s*\{\{ *inputs\.[\w-]+ *\}\}\s*$/.test(template);
}

/** One word for a POSIX shell, whatever the text holds. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function render(template: string, scope: TemplateScope, insert: (value: string, raw: boolean) => string): string {
  const { parts, issues } = parseTemplate(template);
  const [issue] = issues;
  if (issue !== undefined) {
    throw new Fault('template/unresolved', `The template cannot be rendered: ${issue.message}.`);
  }
  const pieces: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (part === undefined) break;
    if (part.kind === 'if') {
      if (!holds(valueOf(scope, part.path))) index = part.end;
      continue;
    }
    pieces.push(piece(part, scope, insert));
  }
  return pieces.join('');
}

function piece(
  part: Exclude<TemplatePart, { kind: 'if' }>,
  scope: TemplateScope,
  insert: (value: string, raw: boolean) => string,
): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'end':
      return '';
    case 'insert':
      return insert(truncated(valueOf(scope, part.path), part.truncate), part.raw);
    default:
      return unreachable(part);
  }
}

function valueOf(scope: TemplateScope, path: string): string {
  return Object.hasOwn(scope, path) ? (scope[path] ?? '') : '';
}

function holds(value: string): boolean {
  return value !== '' && value !== '0' && value !== 'false';
}

/** Keeps the first `limit` UTF-16 units, never half of a pair, and says how many were cut. */
function truncated(value: string, limit: number | undefined): string {
  if (limit === undefined || value.length <= limit) return value;
  const last = value.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return `${value.slice(0, end)}\n[… ${value.length - end} more characters]`;
}

import { forEachChild, parse, type ParsedScript, type SyntaxNode } from 'unbash';

import { parseTemplate } from '#core/template/parse.ts';

/** A command as a shell reads it. Positions of the nodes are offsets into `text`. */
export interface ShellScript {
  text: string;
  root: ParsedScript;
}

/** The parser's time can grow with the square of a text, and no command that people write by hand is longer. */
const longest = 16_384;

/** Stands for a value that only the run knows: it is a word of no meaning to any rule. */
const inserted = 'setpoint_inserted_value';

/**
 * Reads a command template, its inputs given by their defaults. Undefined for what is no shell, or longer than 16 KiB:
 * nothing is said about that.
 */
export function readShell(command: string, defaults: Readonly<Record<string, string>> = {}): ShellScript | undefined {
  const text = command.includes('{{') ? withDefaults(command, defaults) : command;
  if (text.length > longest) return undefined;
  const root = parse(text);
  return root.errors !== undefined && root.errors.length > 0 ? undefined : { text, root };
}

function withDefaults(command: string, defaults: Readonly<Record<string, string>>): string {
  const pieces = parseTemplate(command).parts.map((part) => {
    if (part.kind === 'text') return part.text;
    if (part.kind !== 'insert') return '';
    const input = /^inputs\.([\w-]+)$/.exec(part.path)?.[1];
    return (input === undefined ? undefined : defaults[input]) ?? inserted;
  });
  return pieces.join('');
}

/** Every node below `node`, itself first; commands inside `$(…)` are left out, since their exit codes decide nothing. */
export function nodesIn(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const add = (each: SyntaxNode): void => {
    found.push(each);
    if (each.type === 'Word' || each.type === 'Function') return;
    forEachChild(each, add);
  };
  add(node);
  return found;
}

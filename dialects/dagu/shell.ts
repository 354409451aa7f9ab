import { quoted } from '#dialects/dagu/texts.ts';
import { refersToValue } from '#dialects/dagu/values.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { listOf } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

/** A shell with its options, as `-c` will follow them. `ofStep`: written at the step, so nothing is added to it. */
export interface Shell {
  words: readonly string[];
  ofStep: boolean;
}

const posix = new Set(['sh', 'bash', 'zsh', 'ksh', 'mksh', 'ash', 'dash']);

/** `bash -o pipefail`, or its words as a list. */
export const shellWords: Field<string[]> = (node, path, reading) => {
  const words = node.kind === 'list' ? listOf(text, 'words')(node, path, reading) : wordsOf(node, path, reading);
  const [program] = words ?? [];
  const reference = words?.find(refersToValue);
  if (reference !== undefined) {
    const message = `the shell is fixed in the file; write what is meant in place of \`${reference.slice(0, 80)}\``;
    reading.report(path, 'dialect/not-run', message);
    return undefined;
  }
  if (words === undefined || program === undefined || isPosixShell(program))
    return words?.filter((word) => word !== '-c');
  const message = `\`${program}\` is no POSIX shell; write the command as \`${program} …\` under \`run\`, or begin its script with \`#!${program}\``;
  reading.report(path, 'dialect/not-run', message);
  return undefined;
};

function wordsOf(node: SourceNode, path: string, reading: Reading): string[] | undefined {
  const read = text(node, path, reading);
  return read?.split(/\s+/).filter((word) => word !== '');
}

export function isPosixShell(program: string): boolean {
  return posix.has(program.split('/').at(-1) ?? '');
}

/** As Dagu adds it: a shell that no step has chosen for itself stops at the first failing command. */
export function stopsAtFailure(shell: Shell | undefined): boolean {
  return shell?.ofStep !== true;
}

/** One invocation of a shell with a text as its command, `further` being its positional parameters. */
export function shellCall(shell: Shell, command: string, further: readonly string[] = []): string {
  const [program = 'sh', ...options] = shell.words;
  const errexit = stopsAtFailure(shell) && !options.some((option) => /^-[a-z]*e/.test(option) || option === 'errexit');
  const words = [program, ...options, ...(errexit ? ['-e'] : []), '-c'].map(bareOrQuoted);
  const positional = further.length === 0 ? [] : [bareOrQuoted(program), ...further];
  return [...words, command, ...positional].join(' ');
}

function bareOrQuoted(word: string): string {
  return /^[\w./=:@%+-]+$/.test(word) ? word : quoted(word);
}

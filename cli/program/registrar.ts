import { type Command, InvalidArgumentError } from 'commander';

import type { CliContext } from '#cli/context.ts';

/** What a group of commands is added with. */
export interface Registrar {
  program: Command;
  context: CliContext;
  /** Takes the exit code of the command that was chosen. */
  exit: (code: number) => void;
}

/** Parses a flag that counts from 1. */
export function countingNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1 on.');
  return value;
}

/** Collects a flag that may be given many times. */
export function collected(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** Examples under a command's help. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

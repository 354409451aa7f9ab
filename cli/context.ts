import { fileURLToPath } from 'node:url';

import { type Interrupts, processInterrupts } from '#cli/interrupts.ts';
import { type Environment, readEnvironment } from '#cli/settings.ts';
import { processTerminal, type Terminal } from '#cli/terminal.ts';
import type { Prompts } from '#cli/wizard/prompts.ts';
import { terminalPrompts } from '#cli/wizard/terminal-prompts.ts';

/** A program of the package that the command line starts as its own process: it must load neither engine nor database. */
export type Entry =
  | 'workers/stack.js'
  | 'workers/agents.js'
  | 'workers/suggest.js'
  | 'workers/control.js'
  | 'workers/host.js'
  | 'workers/migrate.js'
  | 'api/main.js';

/** What a command touches of the world around it. */
export interface CliContext {
  /** Absolute. */
  cwd: string;
  environment: Environment;
  terminal: Terminal;
  interrupts: Interrupts;
  /** Absent when nobody sits at the terminal. */
  prompts?: Prompts;
  /** Absolute path of a built program. */
  entry(name: Entry): string;
}

export function processContext(): CliContext {
  return {
    cwd: process.cwd(),
    environment: readEnvironment(),
    terminal: processTerminal(),
    interrupts: processInterrupts(),
    ...(process.stdin.isTTY && process.stdout.isTTY ? { prompts: terminalPrompts() } : {}),
    entry: (name) => fileURLToPath(new URL(`../${name}`, import.meta.url)),
  };
}

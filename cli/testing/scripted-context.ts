import type { CliContext, Entry } from '#cli/context.ts';
import { runProgram } from '#cli/program/program.ts';
import type { Environment } from '#cli/settings.ts';
import { painter } from '#cli/terminal.ts';
import type { Prompts } from '#cli/wizard/prompts.ts';

/** What a command wrote and how it ended. */
export interface Ended {
  code: number;
  out: string[];
  err: string[];
}

export interface ScriptedContext {
  context: CliContext;
  out: string[];
  err: string[];
  /** Presses Ctrl-C. */
  interrupt(): void;
  run(...argv: string[]): Promise<Ended>;
}

export interface Scripting {
  cwd: string;
  environment?: Environment;
  /** Paths of the programs that commands start. */
  entries?: Partial<Record<Entry, string>>;
  interactive?: boolean;
  /** What a person answers to every question. */
  answer?: string;
  /** The person at the terminal, for questions of the wizard. */
  prompts?: Prompts;
}

/** A context whose terminal keeps what is written, and whose Ctrl-C a test presses. */
export function scriptedContext(scripting: Scripting): ScriptedContext {
  const out: string[] = [];
  const err: string[] = [];
  const listeners = new Set<() => void>();
  const context: CliContext = {
    cwd: scripting.cwd,
    environment: scripting.environment ?? {},
    terminal: {
      interactive: scripting.interactive ?? false,
      out: (line) => void out.push(line),
      raw: (text) => void out.push(text),
      err: (line) => void err.push(line),
      paint: painter(false),
      live: async () => ({ draw: () => undefined, above: (line) => void out.push(line), close: () => undefined }),
      ask: async (question) => {
        err.push(question);
        return scripting.answer ?? '';
      },
      secret: async (question) => {
        err.push(question);
        return scripting.answer ?? '';
      },
    },
    interrupts: {
      listen: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    ...(scripting.prompts === undefined ? {} : { prompts: scripting.prompts }),
    entry: (name) => scripting.entries?.[name] ?? `${scripting.cwd}/no-such-program/${name}`,
  };
  return {
    context,
    out,
    err,
    interrupt: () => {
      for (const listener of listeners) listener();
    },
    run: async (...argv) => ({ code: await runProgram(argv, context), out, err }),
  };
}

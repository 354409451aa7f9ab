import pc from 'picocolors';

import { createTerminalText, terminalText } from '#cli/terminal-text.ts';

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'dim' | 'strong';

/** Lines at the bottom of a terminal that are drawn over and over. */
export interface LiveArea {
  /** Replaces what the area shows. */
  draw(lines: readonly string[]): void;
  /** Writes a line above the area that stays. */
  above(line: string): void;
  /** Takes the area away. */
  close(): void;
}

/** Where every word of the command line goes. */
export interface Terminal {
  /** A person reads stdout. */
  readonly interactive: boolean;
  /** Writes a line to stdout. */
  out(line: string): void;
  /** Writes text to stdout, in pieces of any size. */
  raw(text: string): void;
  /** Writes a line to stderr. */
  err(line: string): void;
  paint: (tone: Tone, text: string) => string;
  live(): Promise<LiveArea>;
  /** Asks on stderr and reads one line of stdin. Only when `interactive`. */
  ask(question: string): Promise<string>;
  /**
   * A value that must not be seen: asked for without echo when a person sits at stdin, else all of stdin without the line
   * end that ends it. Undefined when the person left by Ctrl-C or Ctrl-D.
   */
  secret(question: string): Promise<string | undefined>;
}

/** Colours by tone; text stays as it is when `colour` is false. */
export function painter(colour: boolean): (tone: Tone, text: string) => string {
  const colours = pc.createColors(colour);
  const tones: Record<Tone, (text: string) => string> = {
    plain: (text) => text,
    good: colours.green,
    bad: colours.red,
    warn: colours.yellow,
    dim: colours.dim,
    strong: colours.bold,
  };
  return (tone, text) => tones[tone](text);
}

/** The terminal of this process. A reader that went away (`| head`) ends the process quietly. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      process.exit(error.code === 'EPIPE' ? 0 : 5);
    });
  }
  const inPieces = createTerminalText();
  return {
    interactive: stdout.isTTY,
    out: (line) => void stdout.write(`${stdout.isTTY ? terminalText(line) : line}\n`),
    // A file or a program gets what there is.
    raw: (text) => void stdout.write(stdout.isTTY ? inPieces(text) : text),
    err: (line) => void stderr.write(`${stderr.isTTY ? terminalText(line) : line}\n`),
    paint: painter(stdout.isTTY && pc.isColorSupported),
    live: liveArea,
    ask: async (question) => {
      const { createInterface } = await import('node:readline/promises');
      const reader = createInterface({ input: stdin, output: stderr });
      try {
        return await reader.question(question);
      } finally {
        reader.close();
      }
    },
    secret: (question) => (stdin.isTTY ? askUnseen(question) : restOfStdin()),
  };
}

async function askUnseen(question: string): Promise<string | undefined> {
  const { createInterface } = await import('node:readline/promises');
  const { Writable } = await import('node:stream');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const left = new AbortController();
  for (const leaving of ['SIGINT', 'close'] as const) reader.once(leaving, () => left.abort());
  process.stderr.write(question);
  try {
    return await reader.question('', { signal: left.signal });
  } catch (error) {
    if (left.signal.aborted) return undefined;
    throw error;
  } finally {
    reader.close();
    process.stderr.write('\n');
  }
}

async function restOfStdin(): Promise<string> {
  const { text } = await import('node:stream/consumers');
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}

// Loaded only for a person's terminal: it costs a tenth of a second.
async function liveArea(): Promise<LiveArea> {
  if (process.stdout.rows === 0) return plainArea;
  const { createLogUpdate } = await import('log-update');
  const update = createLogUpdate(process.stdout);
  let shown: readonly string[] = [];
  return {
    draw: (lines) => {
      shown = lines;
      update(terminalText(lines.join('\n')));
    },
    above: (line) => {
      update.persist(terminalText(line));
      update(terminalText(shown.join('\n')));
    },
    close: () => {
      update.clear();
      update.done();
    },
  };
}

/** A terminal without a size, as some test machines give one, has no room to draw in: only what stays is written. */
const plainArea: LiveArea = {
  draw: () => undefined,
  above: (line) => void process.stdout.write(`${terminalText(line)}\n`),
  close: () => undefined,
};

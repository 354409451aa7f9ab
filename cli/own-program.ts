import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import type { z } from 'zod';

/** How much of what a program said on stderr is kept, from its end. */
const keptErrorCharacters = 2_000;

/** A program of the package under way: it may load what the command line must not. */
export interface OwnProgram<Message> {
  /** What it says on stdout, a message a line. */
  messages: AsyncIterable<Message>;
  /** Its exit code, null after a signal. Rejects when it could not be started. */
  ended: Promise<number | null>;
  /** What it said on stderr so far. */
  errors: () => string;
  /** Asks it to end. */
  stop: () => void;
}

interface Starting<Schema extends z.ZodType> {
  /** The script, then its arguments. */
  argv: readonly string[];
  cwd: string;
  /** Absent = it reads nothing. */
  stdin?: string;
  message: Schema;
}

export function startOwnProgram<Schema extends z.ZodType>(starting: Starting<Schema>): OwnProgram<z.output<Schema>> {
  const { argv, cwd, stdin, message } = starting;
  const child = spawn(process.execPath, argv, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-keptErrorCharacters);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Whoever started it awaits it; a failed spawn must not be unhandled while the lines are read.
  ended.catch(() => undefined);
  // A program that ended before it read says why by its end.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  return {
    messages: messagesIn(child.stdout, message),
    ended,
    errors: () => errors.trim(),
    stop: () => void child.kill('SIGTERM'),
  };
}

async function* messagesIn<Schema extends z.ZodType>(
  stdout: NodeJS.ReadableStream,
  schema: Schema,
): AsyncGenerator<z.output<Schema>> {
  for await (const line of createInterface({ input: stdout })) {
    const message = messageIn(line, schema);
    if (message !== undefined) yield message;
  }
}

/** A line that is no message of ours is noise of a library. */
function messageIn<Schema extends z.ZodType>(line: string, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { RunOutcome } from '#core/contract/http.ts';
import { RunEvent, type RunEventOf } from '#core/run/event.ts';

const program = fileURLToPath(new URL('../../bin/setpoint.js', import.meta.url));
const built = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface CliEnded {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A command line that is under way. */
export interface RunningCli {
  child: ChildProcess;
  /** Settles with the first match in what both streams said, past or to come; rejects when the process ends without it. */
  says(pattern: RegExp): Promise<RegExpMatchArray>;
  ended: Promise<CliEnded>;
}

export interface CliOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin?: string;
}

/** Starts `setpoint …` as a user's shell does, from the built program. */
export function startCli(argv: readonly string[], options: CliOptions): RunningCli {
  if (!existsSync(built)) throw new TypeError(`${built} is missing; run npm run build`);
  const child = spawn(process.execPath, [program, ...argv], {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(options.stdin ?? '');
  const said = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  const hear = (stream: 'stdout' | 'stderr') => (chunk: string) => {
    said[stream] += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding('utf8').on('data', hear('stdout'));
  child.stderr.setEncoding('utf8').on('data', hear('stderr'));
  const ended = new Promise<CliEnded>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...said }));
  });
  const says = (pattern: RegExp): Promise<RegExpMatchArray> =>
    new Promise((resolve, reject) => {
      const look = (): boolean => {
        const found = said.stderr.match(pattern) ?? said.stdout.match(pattern);
        if (found === null) return false;
        listeners.delete(look);
        resolve(found);
        return true;
      };
      if (look()) return;
      listeners.add(look);
      ended.then((end) => reject(new TypeError(`it ended without ${pattern}: ${JSON.stringify(end)}`)), reject);
    });
  return { child, says, ended };
}

/** A whole command line, from its start to its end. */
export function runCli(argv: readonly string[], options: CliOptions): Promise<CliEnded> {
  return startCli(argv, options).ended;
}

/** What `run --json` printed, each line by its contract. */
export interface JsonRun extends CliEnded {
  events: RunEvent[];
  outcome: RunOutcome;
  /** All events of one type. */
  of<T extends RunEvent['type']>(type: T): RunEventOf<T>[];
}

const EventLine = z.intersection(z.object({ seq: z.number().int() }), RunEvent);

/** Parses the lines of `run --json` or `watch --json`; sequence numbers count from 1 without a gap. */
export function jsonRun(ended: CliEnded): JsonRun {
  const lines = ended.stdout.trimEnd().split('\n');
  const last = lines.pop();
  if (last === undefined || last === '') {
    throw new TypeError(`it printed no outcome (exit ${ended.code}): ${ended.stderr}`);
  }
  const events = lines.map((line, index) => {
    const event = EventLine.parse(JSON.parse(line));
    if (event.seq !== index + 1) throw new TypeError(`line ${index + 1} carries seq ${event.seq}`);
    return event;
  });
  return {
    ...ended,
    events,
    outcome: RunOutcome.parse(JSON.parse(last)),
    of: (type) => events.filter((event): event is typeof event & RunEventOf<typeof type> => event.type === type),
  };
}

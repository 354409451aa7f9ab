import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

import { RunOutcome } from '#core/contract/http.ts';
import { RunEvent, type RunEventOf } from '#core/run/event.ts';
import { type Stand, startSetpoint } from './stand.ts';

/** A run as `setpoint run … --json` showed it. */
export interface FollowedRun {
  runId: string;
  exitCode: number | null;
  events: RunEvent[];
  outcome: RunOutcome;
  seconds: number;
}

export interface RunRequest {
  folder: string;
  /** The native definition, as YAML. */
  definition: string;
  arguments?: readonly string[];
  /** Called for each event as it comes, in order. */
  onEvent?: (event: RunEvent, runId: string) => Promise<void>;
}

/** A run that takes longer has hung. */
const mostMs = 240_000;

/** `setpoint run` to its end. Throws when it did not end in 4 minutes or its last line is no outcome. */
export async function followRun(stand: Stand, request: RunRequest): Promise<FollowedRun> {
  const file = join(request.folder, 'lane.loop.yaml');
  await writeFile(file, request.definition);
  const started = performance.now();
  const args = ['run', file, '--json', '--foreground', ...(request.arguments ?? [])];
  const child = startSetpoint(args, { cwd: request.folder, env: stand.environment });
  // Ctrl-C in the foreground: the run is cancelled, so that it is in nobody's way.
  const timer = setTimeout(() => child.kill('SIGINT'), mostMs);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const err = text(child.stderr);
  try {
    const lines = await readLines(createInterface({ input: child.stdout }), request);
    const [exitCode] = await exited;
    const { runId, events, last } = lines;
    const outcome = RunOutcome.safeParse(last);
    if (!outcome.success) {
      throw new TypeError(`the run ${runId} told no outcome (exit ${exitCode}): ${(await err).slice(-2000)}`);
    }
    return { runId, exitCode, events, outcome: outcome.data, seconds: (performance.now() - started) / 1000 };
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

async function readLines(lines: AsyncIterable<string>, { onEvent }: RunRequest) {
  const events: RunEvent[] = [];
  let runId = '';
  let last: unknown;
  for await (const line of lines) {
    last = JSON.parse(line);
    const event = RunEvent.safeParse(last);
    if (!event.success) continue;
    events.push(event.data);
    if (event.data.type === 'run.started') runId = event.data.runId;
    await onEvent?.(event.data, runId);
  }
  return { runId, events, last };
}

/** The events of one type, in order. */
export function eventsOf<T extends RunEvent['type']>(run: FollowedRun, type: T): RunEventOf<T>[] {
  return run.events.filter((event): event is RunEventOf<T> => event.type === type);
}

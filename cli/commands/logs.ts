import { setTimeout as delay } from 'node:timers/promises';

import { everyStep } from '#core/plan/handlers.ts';
import type { RunEvent, StoredEvent } from '#core/run/event.ts';

import { type ApiClient, createApiClient, type OutputPart } from '#cli/client/api-client.ts';
import { ServerUnreachable } from '#cli/client/api-problem.ts';
import { followEvents } from '#cli/client/event-feed.ts';
import type { CliContext } from '#cli/context.ts';
import { CliFailure, type ExitCode, exitCodes } from '#cli/failure.ts';
import { type GlobalFlags, settingsOf } from '#cli/settings.ts';
import { requireServer } from '#cli/stack/server-address.ts';
import type { Terminal } from '#cli/terminal.ts';

export interface LogsFlags extends GlobalFlags {
  step?: string;
  pass?: number;
  follow?: boolean;
}

/**
 * `setpoint logs RUN`: the output of every attempt that `--step` and `--pass` leave, in order; headings on stderr.
 * With `-f` it goes on until the run stops; Ctrl-C ends it and leaves the run alone.
 */
export async function logsCommand(context: CliContext, runId: string, flags: LogsFlags): Promise<ExitCode> {
  const settings = settingsOf(flags, context.environment, context.cwd);
  const client = createApiClient(await requireServer(settings));
  if (flags.step !== undefined) await requireStep(client, runId, flags.step);
  if (flags.follow === true) return followLogs(context, client, { runId, flags });
  const started = (await client.events(runId)).filter(attemptsOf(flags));
  if (started.length === 0) {
    throw new CliFailure(exitCodes.usage, `${runId} has no output${chosen(flags)}`, {
      remedy: `see its steps and passes with \`setpoint show ${runId}\`, or wait for it with -f`,
    });
  }
  for (const { event } of started) {
    const part = partOf(event);
    if (part !== undefined) await attemptTail(client, runId, { part, terminal: context.terminal }).read();
  }
  return exitCodes.succeeded;
}

async function requireStep(client: ApiClient, runId: string, step: string): Promise<void> {
  const { whole } = await client.run(runId);
  const { RunShown } = await import('#cli/client/shapes.ts');
  const { plan } = RunShown.pick({ plan: true }).parse(whole);
  const steps = everyStep(plan).map(({ id }) => id);
  if (steps.includes(step)) return;
  throw new CliFailure(exitCodes.usage, `${runId} has no step ${step}; its steps are ${steps.join(', ')}`, {
    remedy: 'name one of them, or leave --step away',
  });
}

const pollMs = 300;

async function followLogs(
  context: CliContext,
  client: ApiClient,
  request: { runId: string; flags: LogsFlags },
): Promise<ExitCode> {
  const leave = new AbortController();
  const stopListening = context.interrupts.listen(() => leave.abort());
  const chosenAttempt = attemptsOf(request.flags);
  let reading: { over: AbortController; done: Promise<void> } | undefined;
  const settle = async (): Promise<void> => {
    reading?.over.abort();
    await reading?.done;
    reading = undefined;
  };
  try {
    for await (const stored of followEvents(client, request.runId, { signal: leave.signal })) {
      if (endsAttempt(stored.event)) await settle();
      const part = chosenAttempt(stored) ? partOf(stored.event) : undefined;
      if (part === undefined) continue;
      await settle();
      const over = new AbortController();
      const tail = attemptTail(client, request.runId, { part, terminal: context.terminal });
      reading = { over, done: readUntil(tail, AbortSignal.any([over.signal, leave.signal])) };
      // Awaited in `settle`; until then a failure must not count as unhandled.
      reading.done.catch(() => undefined);
    }
    await settle();
    return leave.signal.aborted ? exitCodes.interrupted : exitCodes.succeeded;
  } finally {
    reading?.over.abort();
    stopListening();
  }
}

async function readUntil(tail: { read: () => Promise<number> }, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    // The feed of events tells of a server that is away, and gives up in time.
    await tail.read().catch((error: unknown) => {
      if (!(error instanceof ServerUnreachable)) throw error;
    });
    await delay(pollMs, undefined, { signal: over }).catch(() => undefined);
  }
  // What was written between the last look and the end.
  while ((await tail.read()) > 0);
}

/** Writes what is new of an attempt's output each time it is read, and tells how many bytes that was. */
function attemptTail(
  client: ApiClient,
  runId: string,
  options: { part: OutputPart; terminal: Terminal },
): { read: () => Promise<number> } {
  const { part, terminal } = options;
  const decoder = new TextDecoder();
  let from = 0;
  const attempt = part.attempt > 1 ? `, attempt ${part.attempt}` : '';
  terminal.err(terminal.paint('dim', `── ${part.step} pass ${part.pass}${attempt} ──`));
  return {
    read: async () => {
      const bytes = await client.output(runId, part, from);
      from += bytes.length;
      const text = decoder.decode(bytes, { stream: true });
      if (text !== '') terminal.raw(text);
      return bytes.length;
    },
  };
}

function attemptsOf(flags: LogsFlags): (stored: StoredEvent) => boolean {
  return ({ event }) =>
    event.type === 'attempt.started' &&
    (flags.step === undefined || event.step === flags.step) &&
    (flags.pass === undefined || event.pass === flags.pass);
}

function partOf(event: RunEvent): OutputPart | undefined {
  if (event.type !== 'attempt.started') return undefined;
  return { step: event.step, pass: event.pass, attempt: event.attempt };
}

function endsAttempt(event: RunEvent): boolean {
  return event.type === 'attempt.finished' || event.type === 'attempt.interrupted' || event.type === 'attempt.lost';
}

function chosen(flags: LogsFlags): string {
  const step = flags.step === undefined ? '' : ` of step ${flags.step}`;
  return `${step}${flags.pass === undefined ? '' : ` in pass ${flags.pass}`} yet`;
}

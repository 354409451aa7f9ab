import type { RunOutcome } from '#core/contract/http.ts';
import type { RunEvent } from '#core/run/event.ts';

import type { ApiClient } from '#cli/client/api-client.ts';
import { feedPatience, type FeedPatience, followEvents } from '#cli/client/event-feed.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes, messageOf } from '#cli/failure.ts';
import { comeBack } from '#cli/follow/come-back.ts';
import { planOf } from '#cli/follow/plan-of.ts';
import { watchStandstill } from '#cli/follow/standstill.ts';
import { closingLines, exitCodeOfOutcome, outcomeOf } from '#cli/render/outcome.ts';
import { createReporter, type Reporter, type Showing } from '#cli/render/reporter.ts';

export interface FollowOptions extends Showing {
  /** What the first Ctrl-C does: leave the run going, or cancel it and wait until it is over (T-23). */
  onInterrupt: 'detach' | 'cancel';
  /** False: end with exit code 3 as soon as the run waits for a person. */
  wait: boolean;
  /** Ctrl-C was pressed before: it is acted on at once. */
  interrupted?: boolean;
  patience?: FeedPatience;
  /** Time without an event after which it is asked why; default 5 s. */
  standstillMs?: number;
}

const standstillMs = 5_000;

export interface Followed {
  exitCode: ExitCode;
  /** Absent after a Ctrl-C that detached. */
  outcome?: RunOutcome;
}

/**
 * Shows a run from its first event to its stop. The first Ctrl-C detaches (130) or cancels and waits (4); the second
 * one quits at once. Exit codes as docs/guide/scripts.md.
 */
export async function followRun(
  context: CliContext,
  client: ApiClient,
  runId: string,
  options: FollowOptions,
): Promise<Followed> {
  const leave = new AbortController();
  const following: Following = { leave, options, note: (line) => context.terminal.err(line.text) };
  const onInterrupt = onInterrupts(client, runId, following);
  // Before the first await: Ctrl-C is heard at every moment.
  const stopListening = context.interrupts.listen(onInterrupt);
  if (options.interrupted === true) onInterrupt();
  try {
    return await follow(context, client, { runId, following });
  } finally {
    stopListening();
  }
}

async function follow(
  context: CliContext,
  client: ApiClient,
  { runId, following }: { runId: string; following: Following },
): Promise<Followed> {
  const { options } = following;
  const reporter = await createReporter(context.terminal, options, async () => {
    // For the bar of passes.
    return planOf((await client.run(runId)).whole);
  });
  following.note = reporter.note;
  try {
    const ended = await showEvents(client, runId, { ...following, reporter });
    if (!ended) {
      reporter.close();
      context.terminal.err(comeBack(runId));
      return { exitCode: exitCodes.interrupted };
    }
    const { listed } = await client.run(runId);
    const outcome = outcomeOf(listed);
    reporter.end(outcome, closingLines(listed));
    return { outcome, exitCode: exitCodeOfOutcome(outcome) };
  } catch (error) {
    reporter.close();
    throw error;
  }
}

interface Following {
  leave: AbortController;
  options: FollowOptions;
  /** Where a line beside the events goes at this moment. */
  note: Reporter['note'];
}

/** True when there is nothing more to wait for; false when the person left. */
async function showEvents(
  client: ApiClient,
  runId: string,
  following: Following & { reporter: Reporter },
): Promise<boolean> {
  const { reporter, leave, options } = following;
  const feed = followEvents(client, runId, {
    signal: leave.signal,
    patience: options.patience ?? feedPatience,
    onConnection: (state, cause) => {
      const text = state === 'lost' ? `the server does not answer (${cause}); trying again…` : 'the server is back';
      reporter.note({ tone: 'dim', text });
    },
  });
  const standstill = watchStandstill(client, runId, {
    everyMs: options.standstillMs ?? standstillMs,
    note: reporter.note,
  });
  try {
    for await (const stored of feed) {
      standstill.moved();
      reporter.event(stored);
      if (!options.wait && waitsForPerson(stored.event) && (await stillWaits(client, runId))) return true;
    }
    return !leave.signal.aborted;
  } finally {
    standstill.stop();
  }
}

function waitsForPerson(event: RunEvent): boolean {
  return event.type === 'run.paused';
}

/** The event may be an old one of a run that went on since. */
async function stillWaits(client: ApiClient, runId: string): Promise<boolean> {
  const { status } = (await client.run(runId)).listed.summary;
  return status === 'paused' || status === 'waiting';
}

function onInterrupts(client: ApiClient, runId: string, following: Following): () => void {
  const { leave, options } = following;
  let heard = 0;
  return () => {
    heard += 1;
    if (heard > 1 || options.onInterrupt === 'detach') {
      leave.abort();
      return;
    }
    following.note({
      tone: 'warn',
      text: `Cancelling ${runId} and waiting until nothing of it runs; Ctrl-C again quits`,
    });
    client.steer(runId, 'cancel', 'Ctrl-C in the terminal that started it').catch((error: unknown) => {
      following.note({ tone: 'bad', text: `${runId} was not cancelled: ${messageOf(error)}` });
    });
  };
}

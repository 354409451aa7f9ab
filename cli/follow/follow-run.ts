import type { RunOutcome } from '#core/contract/http.ts';

import type { ApiClient } from '#cli/client/api-client.ts';
import { feedPatience, followEvents } from '#cli/client/event-feed.ts';
import type { CliContext } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { type Following, type FollowOptions, type Interruption, openInterruption } from '#cli/follow/interruption.ts';
import { planOf, workplaceIn } from '#cli/follow/plan-of.ts';
import { watchStandstill } from '#cli/follow/standstill.ts';
import { waitsForPerson } from '#cli/follow/waits-for-person.ts';
import { closingLines, exitCodeOfOutcome, outcomeOf } from '#cli/render/outcome.ts';
import { advance, newProgress, type Progress } from '#cli/render/progress.ts';
import { createReporter, type Reporter } from '#cli/render/reporter.ts';

const standstillMs = 5_000;

export interface Followed {
  exitCode: ExitCode;
  /** Absent after a Ctrl-C that detached. */
  outcome?: RunOutcome;
}

/**
 * Shows a run from its first event, a fork from where it begins, to its stop. The first Ctrl-C detaches (130) or cancels and waits (4); the second
 * one detaches from a run that is being cancelled. Exit codes as docs/guide/scripts.md.
 */
export async function followRun(
  context: CliContext,
  client: ApiClient,
  runId: string,
  options: FollowOptions,
): Promise<Followed> {
  const following: Following = {
    leave: new AbortController(),
    options,
    note: (line) => context.terminal.err(line.text),
  };
  const interruption = openInterruption(client, runId, following);
  // Before the first await: Ctrl-C is heard at every moment.
  const stopListening = context.interrupts.listen(interruption.press);
  if (options.interrupted === true) interruption.press();
  try {
    return await follow(context, client, { runId, following, interruption });
  } finally {
    stopListening();
  }
}

interface FollowedRun {
  runId: string;
  following: Following;
  interruption: Interruption;
}

async function follow(
  context: CliContext,
  client: ApiClient,
  { runId, following, interruption }: FollowedRun,
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
      context.terminal.err(interruption.farewell());
      return { exitCode: exitCodes.interrupted };
    }
    const { listed, whole } = await client.run(runId);
    const outcome = outcomeOf(listed);
    reporter.end(outcome, closingLines({ ...listed, ...workplaceIn(whole) }));
    return { outcome, exitCode: exitCodeOfOutcome(outcome) };
  } catch (error) {
    reporter.close();
    throw error;
  }
}

/** True when there is nothing more to wait for; false when the person left. */
async function showEvents(
  client: ApiClient,
  runId: string,
  following: Following & { reporter: Reporter },
): Promise<boolean> {
  const { reporter, leave, options } = following;
  const enough = new AbortController();
  const feed = followEvents(client, runId, {
    signal: AbortSignal.any([leave.signal, enough.signal]),
    patience: options.patience ?? feedPatience,
    onConnection: (state, cause) => {
      const text = state === 'lost' ? `the server does not answer (${cause}); trying again…` : 'the server is back';
      reporter.note({ tone: 'dim', text });
    },
  });
  const standstill = watchStandstill(client, runId, {
    everyMs: options.standstillMs ?? standstillMs,
    note: reporter.note,
    seen: (summary) => {
      if (!options.wait && waitsForPerson(summary)) enough.abort();
    },
  });
  const progress = newProgress({ steps: [] });
  let isItsOwn = options.forked !== true;
  try {
    for await (const stored of feed) {
      standstill.moved();
      isItsOwn ||= stored.event.type === 'run.forked';
      if (isItsOwn || options.json) reporter.event(stored);
      if (!isItsOwn) continue;
      advance(progress, stored.event);
      if (options.wait || !standsStill(progress)) continue;
      // The event may be an old one of a run that went on since: the server knows, and the rest is told first.
      const { summary } = (await client.run(runId)).listed;
      if (waitsForPerson(summary) && stored.seq >= summary.seq) return true;
    }
    return !leave.signal.aborted;
  } finally {
    standstill.stop();
  }
}

/** By its events nothing of the run moves until a person acts. */
function standsStill({ paused, tasks, running }: Progress): boolean {
  return paused || (tasks.size > 0 && running.size === 0);
}

import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineUpdate,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';

import type { MessageAnswer, RunMessage, SeatInput } from '#core/contract/seat.ts';
import { messageUpdate } from '#core/contract/seat-name.ts';
import type { RunEvent } from '#core/run/event.ts';
import { afterwards } from '#core/run/afterwards.ts';
import { wakeAt } from '#core/run/limits.ts';
import { may } from '#core/run/may.ts';
import { eventOf } from '#core/run/message-event.ts';
import { next } from '#core/run/next.ts';
import { isBusy } from '#core/run/state.ts';
import type { SeatCode } from '#core/run/run-codes.ts';
import type { StopKind } from '#core/run/stop.ts';
import { startCleanup } from '#workflows/start-cleanup.ts';
import { createInFlight, type InFlight } from '#workflows/in-flight.ts';
import { createLog, type Log } from '#workflows/log.ts';
import { createRecorder, type Recorder } from '#workflows/recorder.ts';
import { createTimer } from '#workflows/timer.ts';

const message = defineUpdate<MessageAnswer, [RunMessage]>(messageUpdate);

/** Decision 8, and docs/architecture.md: above these the seat starts nothing new until it has rested or recorded. */
const limits = { historyEvents: 2000, unrecorded: 500 };

/** One seat of a run: it awaits, the law decides (docs/architecture.md). */
export async function run(input: SeatInput): Promise<StopKind> {
  const log = createLog(input);
  // Before the handlers are set: a message that came with the start must not be recorded before it.
  open(input, log);
  listen(input, log);
  return CancellationScope.nonCancellable(() => sit(input, log));
}

async function sit(input: SeatInput, log: Log): Promise<StopKind> {
  const { plan, inputs, priority } = input;
  const inFlight = createInFlight({ plan, inputs, ...(priority === undefined ? {} : { priority }) }, log);
  const recorder = createRecorder(input, log);
  // oxlint-disable-next-line typescript/no-floating-promises -- it never rejects but for a bug, which must fail the task
  recorder.work();
  const timer = createTimer(() => tellTime(log));
  const mustRest = createRestLimit(input);
  const mustHold = () => mustRest() || log.outbox.length > limits.unrecorded;
  for (;;) {
    if (recorder.superseded()) throw superseded();
    const ended = log.state().stop === null ? undefined : await close(input, log, recorder);
    if (ended !== undefined) return ended;
    const resting = mustRest();
    const holding = mustHold();
    carryOut(input, log, inFlight, holding);
    if (log.changed()) continue;
    if (resting && !isBusy(log.state())) await rest(input, log, recorder);
    const at = wakeAt(input.plan, log.state());
    if (at !== undefined) timer.arm(at);
    await condition(() => log.changed() || mustHold() !== holding || mustRest() !== resting || recorder.superseded());
  }
}

function superseded(): ApplicationFailure {
  const code: SeatCode = 'run/superseded';
  return ApplicationFailure.nonRetryable('Another seat carries this run now.', code);
}

/** The stop is the last event (E9): a limit that runs out while a stopped run is being recorded says nothing. */
function tellTime(log: Log): void {
  if (log.state().stop === null) log.emit({ type: 'timer.fired', at: Date.now() });
}

/** A run that has stopped closes once its record is whole, unless a retry arrives before that. */
async function close(input: SeatInput, log: Log, recorder: Recorder): Promise<StopKind | undefined> {
  log.takeChange();
  await recorder.flushed();
  if (recorder.superseded()) return undefined;
  await condition(() => allHandlersFinished() || log.changed());
  const work = log.changed() ? undefined : afterwards(input.plan, log.state());
  if (work !== undefined) await startCleanup(work);
  return log.changed() ? undefined : log.state().stop?.kind;
}

/** Carries out what is due. While the seat holds, work that would start now is left to the next seat, or to later. */
function carryOut(input: SeatInput, log: Log, inFlight: InFlight, holding: boolean): void {
  log.takeChange();
  for (const command of next(input.plan, log.state())) {
    if (command.do === 'emit') log.emit(command.event);
    else if (command.do === 'cancel') inFlight.cancel(command.work);
    else if (!holding) inFlight.start(command);
  }
}

/** Messages are judged by the law: a refusal is an answer, and writes nothing to the record. */
function listen({ plan }: SeatInput, log: Log): void {
  setHandler(
    message,
    (received) => {
      const event = eventOf(plan, log.state(), received, Date.now());
      if (event !== undefined) log.emit(event);
      return { kind: 'applied' };
    },
    {
      validator: (received) => {
        const answer = may(plan, log.state(), received);
        if (answer.kind === 'refused') throw ApplicationFailure.nonRetryable(answer.message, answer.code);
      },
    },
  );
  // Decision 11: the engine's own cancellation of the workflow means our cancel.
  CancellationScope.current().cancelRequested.catch(() => {
    const { workflowId } = workflowInfo();
    const event = eventOf(
      plan,
      log.state(),
      { kind: 'cancel', id: `engine:${workflowId}`, reason: 'Cancelled by the operator of the engine.' },
      Date.now(),
    );
    if (event !== undefined && log.state().stop === null) log.emit(event);
  });
}

/** The first events of a seat: a new run, a run taken over, or one that is retried. */
function open(input: SeatInput, log: Log): void {
  const at = Date.now();
  if (input.resume === undefined) log.emit(startOf(input, at));
  if (input.resume?.reason === 'lost') log.emit({ type: 'run.reseated', at, seat: input.seat });
  const event = input.message === undefined ? undefined : eventOf(input.plan, log.state(), input.message, at);
  if (event !== undefined) log.emit(event);
}

function startOf({ runId, parent, held = [] }: SeatInput, at: number): RunEvent {
  const event = { type: 'run.started' as const, at, runId, ...(parent === undefined ? {} : { parent }) };
  return held.length === 0 ? event : { ...event, held };
}

/**
 * Is this seat's history long enough (decision 8)? Counted from its first task, so that each seat carries something out
 * before it hands over, however low the limit and however large the state that it began with.
 */
function createRestLimit(input: SeatInput): () => boolean {
  const begunAt = workflowInfo().historyLength;
  const limit = input.continueAfterEvents ?? limits.historyEvents;
  return () => {
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    const grown = historyLength - begunAt;
    return grown > limit || (grown > 0 && continueAsNewSuggested);
  };
}

/** Nothing is under way: hand over to a fresh history. Returns when something changed meanwhile. */
async function rest(input: SeatInput, log: Log, recorder: Recorder): Promise<void> {
  await recorder.flushed();
  await condition(() => allHandlersFinished() || log.changed());
  if (log.changed() || recorder.superseded()) return;
  const { message: _applied, ...seat } = input;
  await continueAsNew<typeof run>({
    ...seat,
    resume: { state: log.state(), seq: log.seq(), reason: 'continued' },
  });
}

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
import { wakeAt } from '#core/run/limits.ts';
import { eventOf, may } from '#core/run/may.ts';
import { next } from '#core/run/next.ts';
import { isBusy } from '#core/run/state.ts';
import type { StopKind } from '#core/run/stop.ts';
import { createInFlight, type InFlight } from '#workflows/in-flight.ts';
import { createLog, type Log } from '#workflows/log.ts';
import { createRecorder } from '#workflows/recorder.ts';
import { createTimer } from '#workflows/timer.ts';

const message = defineUpdate<MessageAnswer, [RunMessage]>(messageUpdate);

/** Decision 8, and ARCHITECTURE §3: above these the seat starts nothing new until it has rested or recorded. */
const limits = { historyEvents: 2000, unrecorded: 500 };

/** One seat of a run: it awaits, the law decides (ARCHITECTURE §3). */
export async function run(input: SeatInput): Promise<StopKind> {
  const log = createLog(input);
  listen(log);
  open(input, log);
  return CancellationScope.nonCancellable(() => sit(input, log));
}

async function sit(input: SeatInput, log: Log): Promise<StopKind> {
  const inFlight = createInFlight({ plan: input.plan, inputs: input.inputs }, log);
  const recorder = createRecorder(input, log);
  const recording = recorder.work();
  const timer = createTimer(() => log.emit({ type: 'timer.fired', at: Date.now() }));
  for (;;) {
    const ended = await close(log, () => Promise.race([recorder.flushed(), recording]));
    if (ended !== undefined) return ended;
    const resting = mustRest(input);
    carryOut(input, log, inFlight, resting || log.outbox.length > limits.unrecorded);
    if (log.changed()) continue;
    if (resting && !isBusy(log.state())) await rest(input, log, () => Promise.race([recorder.flushed(), recording]));
    const at = wakeAt(input.plan, log.state());
    if (at !== undefined) timer.arm(at);
    await Promise.race([condition(() => log.changed() || (mustRest(input) && !resting)), recording]);
  }
}

/** A run that has stopped closes once its record is whole, unless a retry arrives before that. */
async function close(log: Log, recorded: () => Promise<unknown>): Promise<StopKind | undefined> {
  if (log.state().stop === null) return undefined;
  log.takeChange();
  await recorded();
  await condition(allHandlersFinished);
  return log.changed() ? undefined : log.state().stop?.kind;
}

/** Carries out what is due. While the seat rests, work that would start now is left to the next one. */
function carryOut(input: SeatInput, log: Log, inFlight: InFlight, resting: boolean): void {
  log.takeChange();
  for (const command of next(input.plan, log.state())) {
    if (command.do === 'emit') log.emit(command.event);
    else if (command.do === 'cancel') inFlight.cancel(command.work);
    else if (!resting) inFlight.start(command);
  }
}

/** Messages are judged by the law: a refusal is an answer, and writes nothing to the record. */
function listen(log: Log): void {
  setHandler(
    message,
    (received) => {
      const event = eventOf(log.state(), received, Date.now());
      if (event !== undefined) log.emit(event);
      return { kind: 'applied' };
    },
    {
      validator: (received) => {
        const answer = may(log.state(), received);
        if (answer.kind === 'refused') throw ApplicationFailure.nonRetryable(answer.message, answer.code);
      },
    },
  );
  // Decision 11: the engine's own cancellation of the workflow means our cancel.
  CancellationScope.current().cancelRequested.catch(() => {
    const { workflowId } = workflowInfo();
    const event = eventOf(
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
  if (input.resume === undefined) log.emit({ type: 'run.started', at, runId: input.runId });
  if (input.resume?.reason === 'lost') log.emit({ type: 'run.reseated', at, seat: input.seat });
  const event = input.message === undefined ? undefined : eventOf(log.state(), input.message, at);
  if (event !== undefined) log.emit(event);
}

function mustRest(input: SeatInput): boolean {
  const info = workflowInfo();
  const limit = input.continueAfterEvents ?? limits.historyEvents;
  return info.historyLength > limit || info.continueAsNewSuggested;
}

/** Nothing is under way: hand over to a fresh history. Returns when something changed meanwhile. */
async function rest(input: SeatInput, log: Log, recorded: () => Promise<unknown>): Promise<void> {
  await recorded();
  await condition(allHandlersFinished);
  if (log.changed() || log.outbox.length > 0) return;
  const { message: _applied, ...seat } = input;
  await continueAsNew<typeof run>({
    ...seat,
    resume: { state: log.state(), seq: log.seq(), reason: 'continued' },
  });
}

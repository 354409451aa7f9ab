import type { Verdict } from '#core/check/verdict.ts';
import type { Work } from '#core/run/command.ts';
import type { RunEvent, RunEventOf, ToParent } from '#core/run/event.ts';
import type { Outcome } from '#core/run/settle.ts';
import type { StopKind } from '#core/run/stop.ts';
import { begunWork } from '#core/simulate/begun-work.ts';
import { readEnd, type WorkEnd } from '#core/simulate/outcome-read.ts';
import { childPlace, createFinished, type Finished, placeOf, verdictPlace } from '#core/simulate/place.ts';
import type { Decision } from '#core/task/question.ts';

/** Something of the record, with how long it took. */
export interface Took<T> {
  value: T;
  tookMs: number;
}

export interface ChildEnd {
  stop: StopKind;
  toParent: ToParent;
}

/** What was asked of people at one opening of a question. */
export interface Asked {
  openedAt: number;
  answers: Took<Decision>[];
  /** D5: nobody answered in time. */
  expired: boolean;
}

/** What a run's events hold, by the places of `placeOf`; questions by `taskPlace`. */
export interface RunRecord {
  readonly events: readonly RunEvent[];
  readonly outcomes: ReadonlyMap<string, Took<Outcome>>;
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly children: ReadonlyMap<string, Took<ChildEnd>>;
  readonly asked: ReadonlyMap<string, Asked>;
}

export function taskPlace(step: string, revision: number): string {
  return `${step}@${revision}`;
}

/** Of a run that was never started the record is empty. */
export function readRecord(events: readonly RunEvent[]): RunRecord {
  const reader = createReader();
  let at = 0;
  for (let event = events[at]; event !== undefined; event = events[at]) {
    const end = readEnd(events, at);
    if (end === undefined) reader.event(event);
    else reader.end(event, end);
    at += end?.length ?? 1;
  }
  return { events, ...reader.found };
}

function createReader() {
  const finished = createFinished();
  const begun = new Map<string, { work: Work; place: string; at: number }>();
  const alive = new Map<string, { place: string; at: number }>();
  const found = {
    outcomes: new Map<string, Took<Outcome>>(),
    verdicts: new Map<string, Verdict>(),
    children: new Map<string, Took<ChildEnd>>(),
    asked: new Map<string, Asked>(),
  };

  function begin(event: RunEvent): void {
    const work = begunWork(event);
    if (work !== undefined) begun.set(nameOf(event), { work, place: placeOf(work, finished), at: event.at });
  }

  function settle(event: RunEventOf<'child.settled'>): void {
    const child = alive.get(event.runId);
    if (child === undefined) return;
    const { stop, toParent } = event;
    found.children.set(child.place, { value: { stop, toParent }, tookMs: event.at - child.at });
  }

  return {
    found,
    event(event: RunEvent): void {
      if (event.type === 'run.reseated') begun.clear();
      else if (event.type === 'child.settled') settle(event);
      else hear(found.asked, event);
      begin(event);
    },
    end(event: RunEvent, end: WorkEnd): void {
      const started = begun.get(end.name);
      begun.delete(end.name);
      if (event.type === 'child.started') alive.set(event.runId, { place: childPlace(event, finished), at: event.at });
      if (event.type === 'task.opened') hear(found.asked, event);
      if (started !== undefined && 'outcome' in end)
        keep(found, { started, outcome: end.outcome, at: event.at }, finished);
      finished.see(event);
    },
  };
}

function nameOf(event: RunEvent): string {
  const work = begunWork(event);
  return 'step' in event ? event.step : `@${work?.do ?? event.type}`;
}

interface Settled {
  started: { work: Work; place: string; at: number };
  outcome: Outcome;
  at: number;
}

/** A recovery has no place of its own: what it found is the result of the attempt, which took its own time. */
function keep(
  found: { outcomes: Map<string, Took<Outcome>>; verdicts: Map<string, Verdict> },
  { started, outcome, at }: Settled,
  finished: Finished,
): void {
  if (outcome.of === 'recover') return;
  if (outcome.of === 'attempt' && outcome.value.end.kind === 'cancelled') return;
  const { work, place } = started;
  const tookMs = work.do === 'recover' && outcome.of === 'attempt' ? outcome.value.durationMs : at - started.at;
  found.outcomes.set(place, { value: outcome, tookMs });
  if (outcome.of !== 'judge' || work.do !== 'judge') return;
  for (const { check, verdict } of outcome.value.verdicts) {
    found.verdicts.set(verdictPlace(work, check, finished), verdict);
  }
}

function hear(asked: Map<string, Asked>, event: RunEvent): void {
  if (event.type === 'task.opened') {
    asked.set(taskPlace(event.step, event.revision), { openedAt: event.at, answers: [], expired: false });
  }
  if (event.type !== 'task.decided' && event.type !== 'task.expired') return;
  const opening = asked.get(taskPlace(event.step, event.revision));
  if (opening === undefined) return;
  if (event.type === 'task.expired') opening.expired = true;
  else opening.answers.push({ value: event.decision, tookMs: event.at - opening.openedAt });
}

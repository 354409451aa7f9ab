import type { RunMessageOf } from '#core/contract/seat.ts';
import { tasksOf, whyOver } from '#core/run/apply-task.ts';
import { may } from '#core/run/may.ts';
import { eventOf } from '#core/run/message-event.ts';
import type { Course } from '#core/simulate/course.ts';
import { inventedDecision } from '#core/simulate/invent.ts';
import type { SaidDecision, SimulateOptions } from '#core/simulate/options.ts';
import { taskPlace } from '#core/simulate/record.ts';
import type { Origin } from '#core/simulate/supply.ts';
import type { Decision } from '#core/task/question.ts';
import type { TaskState } from '#core/task/task.ts';

/** An answer that is to come. */
export interface Answer {
  step: string;
  task: TaskState;
  decision: Decision;
  origin: Origin;
  at: number;
}

/** A push back that names no opening is for the first: said each time, it would have no end. */
export function saidFor({ decisions }: SimulateOptions, step: string, revision: number): SaidDecision | undefined {
  const own = decisions.filter((said) => said.step === step);
  const named = own.find((said) => said.revision === revision);
  return named ?? own.find((said) => said.revision === undefined && (said.kind !== 'push_back' || revision === 1));
}

/** The answers to the questions that are open now: as the options say, else as recorded, else invented approvals. */
export function answersTo(course: Course): Answer[] {
  const { options, record } = course.supplies;
  const state = course.state();
  return tasksOf(state).flatMap(({ step, task }): Answer[] => {
    if (task.status !== 'open' || whyOver(state, step) !== undefined) return [];
    const count = task.decisions.length;
    const said = saidFor(options, step, task.revision);
    if (said !== undefined) {
      return [{ step, task, decision: inventedDecision(said.kind, count + 1), origin: 'option', at: state.now }];
    }
    const asked = record.asked.get(taskPlace(step, task.revision));
    const recorded = asked?.answers[count];
    if (recorded !== undefined) {
      const at = Math.max(state.now, task.openedAt + recorded.tookMs);
      return [{ step, task, decision: recorded.value, origin: 'recorded', at }];
    }
    if (asked?.expired === true) return [];
    return [{ step, task, decision: inventedDecision('approve', count + 1), origin: 'invented', at: state.now }];
  });
}

/** Gives an answer. One that the law does not allow ends the simulation: without it there is no going on. */
export function give(course: Course, { step, task, decision, origin, at }: Answer): void {
  const id = `${task.id}#${task.revision}.${task.decisions.length + 1}`;
  const message: RunMessageOf<'decide'> = { kind: 'decide', id, task: task.id, revision: task.revision, decision };
  const answer = may(course.plan, course.state(), message);
  if (answer.kind === 'refused') {
    course.refuse(`The answer ${decision.kind} to step "${step}" is refused: ${answer.message}`);
    return;
  }
  const event = eventOf(course.plan, course.state(), message, at);
  if (event !== undefined) course.emit(event, origin);
}

/** While the record is followed, what the options say of an open question is said at once. */
export function answerAsSaid(course: Course): boolean {
  const said = answersTo(course).find(({ origin }) => origin === 'option');
  if (said !== undefined) give(course, said);
  return said !== undefined;
}

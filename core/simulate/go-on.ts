import { wakeAt } from '#core/run/limits.ts';
import { next } from '#core/run/next.ts';
import { begun, cancelledFault } from '#core/run/settle.ts';
import { childrenOf, tellEnd } from '#core/simulate/children.ts';
import type { Course } from '#core/simulate/course.ts';
import { answersTo, give } from '#core/simulate/people.ts';

/** Something that is to happen at a virtual time. */
interface Happening {
  at: number;
  happen(at: number): void;
}

/** Plays the law from where the course stands to the run's end, or until nothing would move it any more. */
export function goOn(course: Course): void {
  const children = childrenOf(course);
  while (course.state().stop === null && !course.over()) {
    if (decide(course)) continue;
    const { now } = course.state();
    const ends = children().map((child) => ({ at: child.at, happen: (at: number) => tellEnd(course, child, at) }));
    // Of what is due at the same time, what stands first here is first: a timer is the last.
    const happenings = [...ofWork(course), ...ends, ...ofPeople(course), ...ofTime(course)];
    const due = happenings.map((each) => ({ ...each, at: Math.max(now, each.at) }));
    const first = due.toSorted((a, b) => a.at - b.at)[0];
    if (first === undefined) return;
    const before = course.timeline.length;
    first.happen(first.at);
    if (course.timeline.length === before && !course.over()) throw new TypeError('what happened left no event');
  }
}

function decide(course: Course): boolean {
  const commands = next(course.plan, course.state());
  for (const command of commands) {
    if (command.do === 'cancel') course.cancel(command.work);
    else if (command.do === 'emit') course.emit(command.event, 'law');
    else course.begin(command, begun(command, course.state().now));
  }
  return commands.some((command) => command.do !== 'cancel');
}

/** What the law ends has ended at once. */
function ofWork(course: Course): Happening[] {
  return [...course.flying].map(([name, flying]): Happening => {
    const ended = { fault: { code: cancelledFault, message: 'It was ended.' }, origin: 'law' as const };
    if (flying.cancelled) return { at: 0, happen: (at) => void course.fault(name, ended, at) };
    const supplied = course.supplied(flying);
    return { at: flying.begunAt + supplied.tookMs, happen: (at) => course.settle(name, supplied, at) };
  });
}

function ofPeople(course: Course): Happening[] {
  return answersTo(course).map((answer) => ({ at: answer.at, happen: (at) => give(course, { ...answer, at }) }));
}

function ofTime(course: Course): Happening[] {
  const at = wakeAt(course.plan, course.state());
  if (at === undefined || at <= course.state().now) return [];
  return [{ at, happen: (then) => course.emit({ type: 'timer.fired', at: then }, 'law') }];
}

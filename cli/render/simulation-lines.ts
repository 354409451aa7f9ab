import { unreachable } from '#core/exhaustive.ts';
import { summarise } from '#core/run/summarise.ts';
import type { Simulated } from '#core/simulate/course.ts';
import { countsOf, type Simulation } from '#core/simulate/simulate.ts';

import { duration } from '#cli/render/amount.ts';
import { eventLines } from '#cli/render/event-lines.ts';
import { limitLines } from '#cli/render/limit-lines.ts';
import type { Line } from '#cli/render/line.ts';
import { loopLines } from '#cli/render/loop-lines.ts';

/** A simulation as a person reads it: its timeline, where it leaves the record, and what it came to. Pure. */
export function simulationLines(simulation: Simulation): Line[] {
  const { timeline, followed } = simulation;
  const first = timeline[0]?.event.at ?? 0;
  const lines = timeline.flatMap((simulated, index) => [
    ...(index === followed.simulated ? leavingLines(simulation) : []),
    ...timed(simulated, first),
  ]);
  return [...lines, { tone: 'plain', text: '' }, ...endLines(simulation, first)];
}

/** Where each line stands in virtual time since the start, and where what it tells comes from. */
function timed({ event, origin }: Simulated, first: number): Line[] {
  const place = `${clock(event.at - first)}  ${words[origin].padEnd(width)}  `;
  // How an open question is answered is no matter of a simulation.
  const lines = event.type === 'task.opened' ? eventLines(event).slice(0, 1) : eventLines(event);
  return lines.map(({ tone, text }, index) => ({
    tone,
    text: `${index === 0 ? place : ' '.repeat(place.length)}${text}`,
  }));
}

const words = { law: '', recorded: 'recorded', invented: 'invented', option: 'as asked' } as const;
const width = 8;

function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

function leavingLines({ followed }: Simulation): Line[] {
  if (followed.of === 0) return [];
  const text =
    followed.events === followed.of
      ? '── the record ends here ──'
      : `── from here on it goes otherwise than the run (its event ${followed.events + 1} of ${followed.of}) ──`;
  return [{ tone: 'strong', text }];
}

function endLines(simulation: Simulation, first: number): Line[] {
  const { plan, state, followed } = simulation;
  const { passes } = countsOf(simulation);
  const begun = passes.map(({ step, passes: count }) => `${step} ${count}`).join(', ');
  const same = followed.of > 0 && followed.events === followed.of && simulation.timeline.length === followed.simulated;
  return [
    ...outcomeLines(simulation),
    ...(same ? [{ tone: 'dim' as const, text: '  as the run itself went' }] : []),
    { tone: 'plain', text: `  after     ${duration(state.now - first)}` },
    { tone: 'plain', text: `  passes    ${begun}` },
    ...loopLines(plan, state),
    ...limitLines(plan, state, state.now),
    { tone: 'dim', text: 'Simulated: nothing was run and nothing was spent.' },
  ];
}

function outcomeLines(simulation: Simulation): Line[] {
  const { end, plan, state, timeline } = simulation;
  switch (end.kind) {
    case 'ended': {
      const good = state.stop?.kind === 'succeeded';
      return [{ tone: good ? 'good' : 'bad', text: `${good ? '✓' : '✗'} ${state.stop?.kind ?? 'ended'}` }];
    }
    case 'rests': {
      const { status, why = 'Nothing moves it.', remedy } = summarise(plan, state, timeline.length);
      const lines: Line[] = [{ tone: 'warn', text: `it stays ${status}: ${why}` }];
      return remedy === undefined ? lines : [...lines, { tone: 'plain', text: `  remedy    ${remedy}` }];
    }
    case 'refused':
      return [{ tone: 'bad', text: `broken off: ${end.reason}` }];
    case 'unending':
      return [{ tone: 'bad', text: `broken off after ${timeline.length} events: it finds no end` }];
    default:
      return unreachable(end);
  }
}

import { unreachable } from '#core/exhaustive.ts';
import type { Work } from '#core/run/command.ts';
import type { RunEvent } from '#core/run/event.ts';

/**
 * Counts the attempts of each pass that finished. Results are found again by that count and not by the attempt's number:
 * an attempt that a crash took away has no result, and what came after it is its pass's first.
 */
export interface Finished {
  in(step: string, pass: number): number;
  see(event: RunEvent): void;
}

export function createFinished(): Finished {
  const counts = new Map<string, number>();
  const counted = (step: string, pass: number): number => counts.get(`${step}#${pass}`) ?? 0;
  return {
    in: counted,
    see(event) {
      if (event.type !== 'attempt.finished' || event.result.end.kind === 'cancelled') return;
      counts.set(`${event.step}#${event.pass}`, counted(event.step, event.pass) + 1);
    },
  };
}

/** Where a piece of work stands in a run: the same one in the record and in a simulation have the same place. */
export function placeOf(work: Work, finished: Finished): string {
  switch (work.do) {
    case 'attempt':
    case 'recover':
    case 'collect':
      return `result ${passPlace(work, finished)}`;
    case 'expand':
      return `list ${passPlace(work, finished)}`;
    case 'evaluate':
      return `${work.purpose} ${work.step}#${work.pass}`;
    case 'judge':
      return `checks ${passPlace(work, finished)}/${work.round}`;
    case 'review':
      return verdictPlace(work, work.check, finished);
    case 'openTask':
      return `task ${work.step}@${work.revision}`;
    case 'startChild':
      return childPlace(work, finished);
    case 'cancelChild':
      return `cancel ${work.runId}`;
    case 'openWorkspace':
    case 'baseline':
    case 'keepFiles':
    case 'deliver':
      return work.do;
    default:
      return unreachable(work);
  }
}

/** Of one check in one round, whichever others were asked with it. */
export function verdictPlace(
  work: { step: string; pass: number; round: number },
  check: string,
  finished: Finished,
): string {
  return `check ${passPlace(work, finished)}/${work.round} ${check}`;
}

export function childPlace(work: { step: string; pass: number; index: number }, finished: Finished): string {
  return `${passPlace(work, finished)}[${work.index}]`;
}

function passPlace({ step, pass }: { step: string; pass: number }, finished: Finished): string {
  return `${step}#${pass}.${finished.in(step, pass)}`;
}

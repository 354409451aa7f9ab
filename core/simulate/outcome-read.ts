import { unreachable } from '#core/exhaustive.ts';
import type { Work } from '#core/run/command.ts';
import type { FaultSeen, RunEvent, RunEventOf } from '#core/run/event.ts';
import { baselineName, cancelledFault, type Outcome } from '#core/run/settle.ts';

/** What the events from `from` on say about one piece of work: how it ended, and how many of them say so. */
export type WorkEnd = {
  /** The name that the work has while it is under way. */
  name: string;
  pass?: number;
  length: number;
} & ({ outcome: Outcome } | { fault: FaultSeen });

const told: FaultSeen = { code: cancelledFault, message: 'It was cancelled.' };

/** `undefined`: the event at `from` is not the end of a piece of work. */
export function readEnd(events: readonly RunEvent[], from: number): WorkEnd | undefined {
  const event = events[from];
  if (event === undefined) return undefined;
  switch (event.type) {
    case 'workspace.opened': {
      const { hostId, queue, path, base, notes } = event;
      const value = { hostId, queue, path, notes, ...(base === undefined ? {} : { base }) };
      return ofRun('openWorkspace', { of: 'openWorkspace', value });
    }
    case 'baseline.judged': {
      const verdicts = event.verdicts.map(({ step, check, verdict }) => ({ check: baselineName(step, check), verdict }));
      return ofRun('baseline', { of: 'baseline', value: { verdicts, fingerprint: '' } });
    }
    case 'files.kept':
      return ofRun('keepFiles', { of: 'keepFiles', value: { files: event.files } });
    case 'delivery.finished':
      return ofRun('deliver', { of: 'deliver', value: event.delivery });
    case 'workspace.failed':
      return { name: '@openWorkspace', length: 1, fault: event.fault };
    case 'baseline.failed':
      return { name: '@baseline', length: 1, fault: event.fault };
    case 'files.failed':
      return { name: '@keepFiles', length: 1, fault: event.fault };
    case 'delivery.failed':
      return { name: '@deliver', length: 1, fault: event.fault };
    case 'child.told': {
      const value = { of: 'cancelChild' as const, value: null };
      return { name: `@cancelChild ${event.runId}`, length: 1, outcome: value };
    }
    default:
      return 'step' in event ? endOfStep(events, from, event) : undefined;
  }
}

function ofRun(name: string, outcome: Outcome): WorkEnd {
  return { name: `@${name}`, length: 1, outcome };
}

function endOfStep(events: readonly RunEvent[], from: number, event: RunEvent & { step: string }): WorkEnd | undefined {
  const place = { name: event.step, pass: 'pass' in event ? event.pass : 0, length: 1 };
  switch (event.type) {
    case 'condition.judged':
      return { ...place, outcome: { of: 'evaluate', value: event.outcome } };
    case 'attempt.finished':
      return { ...place, outcome: { of: 'attempt', value: event.result } };
    case 'attempt.lost':
      return { ...place, outcome: { of: 'recover', value: { kind: 'lost', spend: event.spend } } };
    case 'attempt.resumable':
      return { ...place, outcome: { of: 'recover', value: { kind: 'resumable' } } };
    case 'task.opened':
      return { ...place, outcome: { of: 'openTask', value: { ask: event.ask, shown: event.shown } } };
    case 'call.begun':
      return { ...place, outcome: { of: 'expand', value: event.items } };
    case 'child.started':
      return { ...place, outcome: { of: 'startChild', value: { runId: event.runId } } };
    case 'check.judged':
    case 'checks.finished':
      return judgedFrom(events, from, place);
    case 'attempt.interrupted':
    case 'checks.interrupted':
    case 'task.failed':
    case 'call.failed':
      return { ...place, fault: event.fault };
    case 'work.cancelled':
      return { ...place, fault: told };
    default:
      return undefined;
  }
}

/** The verdicts of one judging are recorded together, and `checks.finished` after them. */
function judgedFrom(
  events: readonly RunEvent[],
  from: number,
  place: { name: string; pass: number },
): WorkEnd | undefined {
  const verdicts: Pick<RunEventOf<'check.judged'>, 'check' | 'verdict'>[] = [];
  for (let at = from; at < events.length; at += 1) {
    const event = events[at];
    if (event?.type === 'check.judged') verdicts.push({ check: event.check, verdict: event.verdict });
    else if (event?.type === 'checks.finished') {
      const { fingerprint, spend } = event;
      const [only] = verdicts;
      const length = at - from + 1;
      // Only a review tells what it cost.
      if (spend === undefined || only === undefined) {
        return { ...place, length, outcome: { of: 'judge', value: { verdicts, fingerprint } } };
      }
      return { ...place, length, outcome: { of: 'review', value: { verdict: only.verdict, fingerprint, spend } } };
    } else return undefined;
  }
  return undefined;
}

/** The outcome in the form that the work gives it: an attempt's result is also what a recovery found, or a call came to. */
export function outcomeFor(work: Work, outcome: Outcome): Outcome | undefined {
  if (outcome.of === work.do) return outcome;
  if (outcome.of !== 'attempt') return undefined;
  switch (work.do) {
    case 'recover':
      return { of: 'recover', value: { kind: 'finished', result: outcome.value } };
    case 'collect': {
      const { output, feedback } = outcome.value;
      return { of: 'collect', value: { output, ...(feedback === undefined ? {} : { feedback }) } };
    }
    case 'openWorkspace':
    case 'baseline':
    case 'evaluate':
    case 'attempt':
    case 'judge':
    case 'review':
    case 'openTask':
    case 'expand':
    case 'startChild':
    case 'cancelChild':
    case 'keepFiles':
    case 'deliver':
      return undefined;
    default:
      return unreachable(work);
  }
}

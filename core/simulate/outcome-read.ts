import { present } from '#core/definition/present.ts';
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

/** `undefined`: the event at `from` is not the end of a piece of work. */
export function readEnd(events: readonly RunEvent[], from: number): WorkEnd | undefined {
  const event = events[from];
  if (event === undefined) return undefined;
  if (event.type === 'check.judged' || event.type === 'checks.finished') return judgedFrom(events, from, event);
  // Each entry takes the event of its own key, which the type system cannot follow through the look-up.
  const read = ends[event.type] as ((event: RunEvent) => WorkEnd) | undefined;
  return read?.(event);
}

type Ends = { readonly [T in RunEvent['type']]?: (event: RunEventOf<T>) => WorkEnd };

const ends: Ends = {
  'workspace.opened': ({ hostId, queue, path, base, artifacts, notes }) => {
    const value = { hostId, queue, path, notes, ...present({ base, artifacts }) };
    return ofRun({ of: 'openWorkspace', value });
  },
  'baseline.judged': (event) => {
    const verdicts = event.verdicts.map(({ step, check, verdict }) => ({ check: baselineName(step, check), verdict }));
    return ofRun({ of: 'baseline', value: { verdicts, fingerprint: '' } });
  },
  'files.kept': ({ files }) => ofRun({ of: 'keepFiles', value: { files } }),
  'delivery.finished': ({ delivery }) => ofRun({ of: 'deliver', value: delivery }),
  'workspace.failed': ({ fault }) => ({ name: '@openWorkspace', length: 1, fault }),
  'baseline.failed': ({ fault }) => ({ name: '@baseline', length: 1, fault }),
  'files.failed': ({ fault }) => ({ name: '@keepFiles', length: 1, fault }),
  'delivery.failed': ({ fault }) => ({ name: '@deliver', length: 1, fault }),
  'child.told': ({ runId }) => {
    return { name: `@cancelChild ${runId}`, length: 1, outcome: { of: 'cancelChild', value: null } };
  },
  'condition.judged': (event) => ofStep(event, { of: 'evaluate', value: event.outcome }),
  'attempt.finished': (event) => ofStep(event, { of: 'attempt', value: event.result }),
  'attempt.lost': (event) => ofStep(event, { of: 'recover', value: { kind: 'lost', spend: event.spend } }),
  'attempt.resumable': (event) => ofStep(event, { of: 'recover', value: { kind: 'resumable' } }),
  'task.opened': (event) => ofStep(event, { of: 'openTask', value: { ask: event.ask, shown: event.shown } }),
  'call.begun': (event) => ofStep(event, { of: 'expand', value: event.items }),
  'child.started': (event) => ofStep(event, { of: 'startChild', value: { runId: event.runId } }),
  'attempt.interrupted': (event) => ({ ...placeIn(event), fault: event.fault }),
  'checks.interrupted': (event) => ({ ...placeIn(event), fault: event.fault }),
  'task.failed': (event) => ({ ...placeIn(event), fault: event.fault }),
  'call.failed': (event) => ({ ...placeIn(event), fault: event.fault }),
  'work.cancelled': (event) => ({ ...placeIn(event), fault: { code: cancelledFault, message: 'It was cancelled.' } }),
};

function ofRun(outcome: Outcome): WorkEnd {
  return { name: `@${outcome.of}`, length: 1, outcome };
}

interface InPass {
  step: string;
  pass: number;
}

function ofStep(event: InPass, outcome: Outcome): WorkEnd {
  return { ...placeIn(event), outcome };
}

function placeIn({ step, pass }: InPass): { name: string; pass: number; length: number } {
  return { name: step, pass, length: 1 };
}

/** The verdicts of one judging are recorded together, and `checks.finished` after them. */
function judgedFrom(events: readonly RunEvent[], from: number, first: InPass): WorkEnd | undefined {
  const place = placeIn(first);
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

import type { Work } from '#core/run/command.ts';
import type { RunEvent } from '#core/run/event.ts';

/** The work that an event says has begun; what it does not tell is left empty. `undefined`: it begins none. */
export function begunWork(event: RunEvent): Work | undefined {
  if ('step' in event) return begunOfStep(event);
  switch (event.type) {
    case 'workspace.opening':
      return { do: 'openWorkspace' };
    case 'baseline.started':
      return { do: 'baseline' };
    case 'files.keeping':
      return { do: 'keepFiles' };
    case 'delivery.started':
      return { do: 'deliver' };
    default:
      return undefined;
  }
}

function begunOfStep(event: Extract<RunEvent, { step: string }>): Work | undefined {
  const { step, pass } = event;
  switch (event.type) {
    case 'attempt.started':
      return { do: 'attempt', step, pass, attempt: event.attempt };
    case 'recovery.started':
      return { do: 'recover', step, pass, attempt: event.attempt };
    case 'condition.started':
      return { do: 'evaluate', step, pass, purpose: event.purpose };
    case 'checks.started': {
      const { round, check } = event;
      return check === undefined
        ? { do: 'judge', step, pass, round, checks: [] }
        : { do: 'review', step, pass, round, check };
    }
    case 'task.opening':
      return { do: 'openTask', step, pass, task: event.task, revision: event.revision };
    case 'list.expanding':
      return { do: 'expand', step, pass, attempt: 0 };
    case 'call.collecting':
      return { do: 'collect', step, pass, attempt: event.attempt };
    case 'child.starting':
      return { do: 'startChild', step, pass, index: event.index };
    default:
      return undefined;
  }
}

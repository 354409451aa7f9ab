import type { Work } from '#core/run/command.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';

/** The work that an event says has begun; what it does not tell is left empty. `undefined`: it begins none. */
export function begunWork(event: RunEvent): Work | undefined {
  // Each entry takes the event of its own key, which the type system cannot follow through the look-up.
  const read = beginnings[event.type] as ((event: RunEvent) => Work) | undefined;
  return read?.(event);
}

type Beginnings = { readonly [T in RunEvent['type']]?: (event: RunEventOf<T>) => Work };

const beginnings: Beginnings = {
  'workspace.opening': () => ({ do: 'openWorkspace' }),
  'baseline.started': () => ({ do: 'baseline' }),
  'files.keeping': () => ({ do: 'keepFiles' }),
  'delivery.started': () => ({ do: 'deliver' }),
  'attempt.started': ({ step, pass, attempt }) => ({ do: 'attempt', step, pass, attempt }),
  'recovery.started': ({ step, pass, attempt }) => ({ do: 'recover', step, pass, attempt }),
  'condition.started': ({ step, pass, purpose }) => ({ do: 'evaluate', step, pass, purpose }),
  'checks.started': ({ step, pass, round, check }) =>
    check === undefined ? { do: 'judge', step, pass, round, checks: [] } : { do: 'review', step, pass, round, check },
  'task.opening': ({ step, pass, task, revision }) => ({ do: 'openTask', step, pass, task, revision }),
  'list.expanding': ({ step, pass }) => ({ do: 'expand', step, pass, attempt: 0 }),
  'call.collecting': ({ step, pass, attempt }) => ({ do: 'collect', step, pass, attempt }),
  'child.starting': ({ step, pass, index }) => ({ do: 'startChild', step, pass, index }),
};

import type { RunEvent } from '#core/run/event.ts';

/**
 * What is due now. `emit` is a decision of the law itself: the shell emits it and asks again. Everything else is work
 * in the world: the shell emits `begun(command)`, carries it out and emits what `settle` makes of its outcome.
 * `cancel` ends what is under way under that key; asking twice does nothing more.
 */
export type Command = { do: 'emit'; event: RunEvent } | { do: 'cancel'; work: string } | Work;

export type Work =
  | { do: 'openWorkspace' }
  | { do: 'baseline' }
  | { do: 'evaluate'; step: string; pass: number; purpose: 'when' | 'repeat' }
  | { do: 'attempt'; step: string; pass: number; attempt: number }
  | { do: 'recover'; step: string; pass: number; attempt: number }
  | { do: 'judge'; step: string; pass: number; round: number; checks: string[] }
  | { do: 'review'; step: string; pass: number; round: number; check: string }
  | { do: 'openTask'; step: string; pass: number; task: string; revision: number }
  | { do: 'expand'; step: string; pass: number; attempt: number }
  | { do: 'startChild'; step: string; pass: number; index: number }
  | { do: 'collect'; step: string; pass: number; attempt: number }
  | { do: 'cancelChild'; step: string; pass: number; runId: string }
  | { do: 'keepFiles' }
  | { do: 'deliver' };

/** One piece of work under way at a time under each key: a step has one, the run's own have their names. */
export function workName(work: Work): string {
  if (work.do === 'cancelChild') return `@${work.do} ${work.runId}`;
  return 'step' in work ? work.step : `@${work.do}`;
}

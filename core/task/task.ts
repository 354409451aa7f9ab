import type { Decision, Question } from '#core/task/question.ts';

/** A question as the law knows it. It closes without a decision when its pass or its run ends before one. */
export interface TaskState {
  readonly id: string;
  /** Counts openings from 1. */
  readonly revision: number;
  readonly openedAt: number;
  readonly status: 'open' | 'decided' | 'closed';
  readonly question: Question;
  readonly decisions: readonly Decision[];
  readonly reminders: number;
  readonly escalated: boolean;
}

/** Where a question about a limit stands (C7 `ask`): it belongs to no step. */
export const limitsStep = '@limits';

/** `task_01j….ready`: one id a step, sortable as its run's. */
export function taskId(runId: string, step: string): string {
  const run = runId.startsWith('run_') ? runId.slice('run_'.length) : runId;
  return `task_${run}.${step === limitsStep ? 'limits' : step}`;
}

import type { RaiseRun } from '#core/contract/steer.ts';
import { present } from '#core/definition/present.ts';
import { amountUsd, durationSeconds } from '#core/plan/amounts.ts';
import type { RaisedLimits } from '#core/run/event.ts';

import { ToolProblem } from '#mcp/tool-problem.ts';

/** The limits that a call raises, in numbers. Throws `http/bad-request` when it names none. */
export function raisedLimits(asked: Pick<RaiseRun, 'passes' | 'step' | 'time' | 'deadline' | 'spend'>): RaisedLimits {
  const { passes, step, time, deadline, spend } = asked;
  const limits = present({
    passes,
    timeSeconds: time === undefined ? undefined : durationSeconds(time),
    deadlineSeconds: deadline === undefined ? undefined : durationSeconds(deadline),
    spendUsd: spend === undefined ? undefined : amountUsd(spend),
  });
  if (Object.keys(limits).length > 0) return { ...limits, ...present({ step }) };
  throw new ToolProblem('http/bad-request', 'No limit is named.', {
    remedy: 'Give at least one of `passes`, `time`, `deadline` and `spend`.',
  });
}

import { errorPages } from '#core/contract/error-pages.ts';
import type { ProblemCode } from '#core/contract/problem.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { RefusalCode } from '#core/run/run-codes.ts';
import type { MessageFate } from '#infra/temporal/run-messages.ts';
import { ApiProblem } from '#api/http/problem.ts';

/** What a refusal of the law is to a client: its status and its title. */
const kinds: Readonly<Record<RefusalCode, ProblemCode>> = {
  'run/not-found': 'run/not-found',
  'run/ended': 'run/refused',
  'run/succeeded': 'run/refused',
  'run/not-ended': 'run/refused',
  'run/busy': 'run/refused',
  'run/already-paused': 'run/refused',
  'run/not-paused': 'run/refused',
  'run/cause-holds': 'run/refused',
  'raise/not-higher': 'run/refused',
  'raise/no-limit': 'run/refused',
  'edit/not-allowed': 'run/refused',
  'edit/unchanged': 'run/refused',
  'step/not-found': 'run/refused',
  'step/not-finished': 'run/refused',
  'task/not-found': 'task/not-found',
  'task/reopened': 'task/reopened',
  'task/decided': 'task/decided',
  'task/closed': 'task/closed',
  'task/already-answered': 'task/already-answered',
  'task/no-way-back': 'task/no-way-back',
  'task/push-backs-spent': 'task/push-backs-spent',
};

/** A refusal as the problem that a client gets. A code that a newer worker gave is told as it is. `runId`: of the run that refused. */
export function refusalProblem({ code, message }: { code: string; message: string }, runId?: string): ApiProblem {
  if (!isRefusal(code)) return new ApiProblem('run/refused', { detail: message, code });
  const remedy = errorPages[code].remedy.replaceAll(/\bRUN\b/g, runId ?? 'RUN');
  return new ApiProblem(kinds[code], { detail: message, code, remedy });
}

function isRefusal(code: string): code is RefusalCode {
  return Object.hasOwn(kinds, code);
}

/** 200 for what was applied, 202 for what no worker answered yet. Throws the problem of anything else. */
export function statusOfFate(fate: MessageFate, runId?: string): 200 | 202 {
  switch (fate.kind) {
    case 'applied':
      return 200;
    case 'pending':
      return 202;
    case 'refused':
      throw refusalProblem(fate, runId);
    case 'conflict':
      throw new ApiProblem('run/message-conflict', {
        detail: 'A message with this id was sent before, and it said something else.',
        remedy: 'Send it under a new id.',
      });
    default:
      return unreachable(fate);
  }
}

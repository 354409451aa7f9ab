import type { RaiseRun } from '#core/contract/steer.ts';
import { present } from '#core/definition/present.ts';
import { amountUsd, durationSeconds } from '#core/plan/amounts.ts';
import type { RaisedLimits } from '#core/run/event.ts';
import { ApiProblem } from '#api/http/problem.ts';

/** Numbers as they are, texts as a definition writes them. Throws `http/bad-request` unless each limit is said once. */
export function raisedLimits(asked: Omit<RaiseRun, 'messageId'>): RaisedLimits {
  const { passes, step } = asked;
  const others = present({
    timeSeconds: oneOf('time', asked.timeSeconds, read(asked.time, durationSeconds)),
    deadlineSeconds: oneOf('deadline', asked.deadlineSeconds, read(asked.deadline, durationSeconds)),
    spendUsd: oneOf('spend', asked.spendUsd, read(asked.spend, amountUsd)),
  });
  if (passes !== undefined) return { passes, ...present({ step }), ...others };
  if (step !== undefined) {
    throw badRaise('`step` names whose passes are raised, and there are no `passes`.', 'Give `passes`, too.');
  }
  if (Object.keys(others).length > 0) return others;
  throw badRaise('No limit is named.', 'Give at least one of `passes`, `time`, `deadline` and `spend`.');
}

function read(text: string | undefined, amountOf: (text: string) => number | undefined): number | undefined {
  return text === undefined ? undefined : amountOf(text);
}

function oneOf(name: string, number: number | undefined, text: number | undefined): number | undefined {
  if (number === undefined || text === undefined) return number ?? text;
  throw badRaise(`\`${name}\` is given twice, as a text and as a number.`, 'Give each limit once.');
}

function badRaise(detail: string, remedy: string): ApiProblem {
  return new ApiProblem('http/bad-request', { detail, remedy });
}

import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { Fault, faults } from '#core/contract/fault.ts';

/** The only place where a fault becomes what the engine knows: its code is the failure's type, its answer the retry. */
export function toFailure(error: unknown): unknown {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
  if (!(error instanceof Fault)) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: error.code,
    nonRetryable: faults[error.code] === 'stop',
  });
}

import type { MessageAnswer } from '#core/contract/seat.ts';
import type { RefusalCode } from '#core/run/run-codes.ts';

export const applied: MessageAnswer = { kind: 'applied' };

/** A refusal names the cause and what to do. */
export function refused(code: RefusalCode, message: string): MessageAnswer {
  return { kind: 'refused', code, message };
}

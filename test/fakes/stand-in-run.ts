import { allHandlersFinished, condition, defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import type { MessageAnswer, RunMessage, SeatInput } from '#core/contract/seat.ts';

/**
 * Stands in for the run's workflow where only its door matters: a cancel ends it, a retry is refused, it tells what it was
 * started from. A cancel for the reason `slow` is never
 * answered.
 */
export async function run(input: SeatInput): Promise<void> {
  let isOver = false;
  setHandler(defineUpdate<MessageAnswer, [RunMessage]>('message'), async (message) => {
    if (message.kind === 'retry') return { kind: 'refused', code: 'run/not-ended', message: 'It has not ended.' };
    if (message.kind === 'cancel' && message.reason === 'slow') await condition(() => false);
    isOver = true;
    return { kind: 'applied' };
  });
  setHandler(defineQuery<SeatInput>('input'), () => input);
  await condition(() => isOver);
  await condition(allHandlersFinished);
}

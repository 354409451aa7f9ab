import type { RunState } from '#core/run/state.ts';

/** Ids that a state remembers; the rows of the messages know the older ones (decision 12). */
const remembered = 500;

/** The state knows that the message was applied: the same one again changes nothing (D2). */
export function withMessage(state: RunState, id: string): RunState {
  return { ...state, messages: [...state.messages, id].slice(-remembered) };
}

import type { RunMessage } from '#core/contract/seat.ts';
import type { RunEvent } from '#core/run/event.ts';

/** The message that an event came from; `undefined`: it came from none. */
export function messageOf(event: RunEvent): RunMessage | undefined {
  if (!('messageId' in event) || event.messageId === undefined) return undefined;
  const sent = { id: event.messageId, ...('by' in event && event.by !== undefined ? { by: event.by } : {}) };
  switch (event.type) {
    case 'run.cancelling':
      return { kind: 'cancel', ...sent, reason: event.reason };
    case 'run.retried': {
      const [from] = event.reset ?? [];
      return { kind: 'retry', ...sent, ...(from === undefined ? {} : { from }) };
    }
    case 'run.paused':
      return { kind: 'pause', ...sent };
    case 'run.resumed':
      return { kind: 'resume', ...sent };
    case 'run.raised':
      return { kind: 'raise', ...sent, limits: event.limits };
    case 'run.edited':
      return { kind: 'edit', ...sent, plan: event.plan };
    case 'step.pushed_back':
      return { kind: 'pushBack', ...sent, step: event.step, remark: event.remark };
    case 'run.held':
      return { kind: 'hold', ...sent, source: event.source };
    case 'run.released':
      return { kind: 'release', ...sent, source: event.source };
    case 'task.decided': {
      const { task, revision, decision } = event;
      return { kind: 'decide', ...sent, task, revision, decision };
    }
    case 'child.settled': {
      const { step, pass, index, runId, stop, toParent } = event;
      return { kind: 'childSettled', ...sent, step, pass, index, runId, stop, toParent };
    }
    default:
      return undefined;
  }
}

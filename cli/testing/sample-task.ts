import { RunEvent, type RunEventOf, type StoredEvent } from '#core/run/event.ts';
import { Plan } from '#core/plan/plan.ts';

import { samplePlan, twoPasses } from '#cli/testing/sample-run.ts';

const [work] = samplePlan.steps;
const { loop: _, ...ready } = { ...work };

/** The sample's step, then a person who may push back to it. */
export const personPlan: Plan = Plan.parse({
  ...samplePlan,
  steps: [
    work,
    {
      ...ready,
      id: 'ready',
      name: 'ready',
      after: ['work'],
      work: { kind: 'person', ask: 'Ship it?', show: [], who: [], quorum: 1, notAuthor: false, pushBackLimit: 2 },
      loop: { ...work?.loop, to: 'work', limit: 2 },
    },
  ],
});

const onTask = { at: 1_900_000_060_000, step: 'ready', pass: 1, task: 'task_01hsample.ready', revision: 1 };
const opened: RunEvent = RunEvent.parse({
  type: 'task.opened',
  ...onTask,
  ask: { text: 'Ship it?\nAll of it.' },
  shown: [{ name: 'plan', content: { sha256: 'a'.repeat(64), bytes: 3, excerpt: 'out' } }],
  form: { type: 'object', properties: { risk: { type: 'string' }, note: {} }, required: ['risk'] },
  who: ['team:web'],
  quorum: 2,
  notAuthor: true,
  backTo: ['work'],
  expiresAt: 1_900_003_600_000,
});

/** The sample's two passes, then the question. Its run waits for a person. */
export const asked: StoredEvent[] = [
  ...twoPasses.slice(0, 15),
  { seq: 16, event: RunEvent.parse({ type: 'task.opening', ...onTask }) },
  { seq: 17, event: opened },
];

/** An answer to the question. */
export function decided(
  kind: RunEventOf<'task.decided'>['decision']['kind'],
  more: { by?: string; comment?: string; form?: Record<string, unknown>; final?: boolean } = {},
): RunEvent {
  const { by = 'anna', comment = '', form, final = true } = more;
  const text = { sha256: 'b'.repeat(64), bytes: 0, excerpt: comment };
  const decision = { kind, by, comment, text, form, digest: 'd' };
  return RunEvent.parse({ type: 'task.decided', ...onTask, messageId: `m-${by}`, decision, final });
}

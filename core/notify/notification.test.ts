import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { messageOf } from '#core/notify/message.ts';
import {
  NotificationFacts,
  notificationId,
  notificationsOf,
  notificationUrl,
  textCharacters,
  withQuestion,
} from '#core/notify/notification.ts';
import { outboxRows } from '#core/notify/outbox-rows.ts';
import { Callback } from '#core/notify/channel.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';
import { StopKind } from '#core/run/stop.ts';
import type { RunSummary } from '#core/run/summary.ts';

import { arbitraryPlan } from '../../test/property/arbitrary-plan.ts';
import { simulate } from '../../test/property/world.ts';

const summary: RunSummary = { status: 'ended', passes: 2, spendUsd: 0.5, seq: 9 };
const at = 1_750_000_000_000;
const stored = (event: RunEvent, seq = 1) => ({ runId: 'run_1', summary, events: [{ seq, event }] });
const failedStep: RunEvent = {
  type: 'step.failed',
  at,
  step: 'test',
  pass: 3,
  reason: 'exit 1 (feedback loop limit of 2 reached)',
  continued: false,
  stop: 'exhausted',
};

describe('which events are told', () => {
  test('E1: an end tells its stop, what was delivered, and how to look', () => {
    const delivered = { ...summary, delivery: 'branch' as const, branch: 'setpoint/run_1', commit: 'abc' };
    const stop = { kind: 'succeeded' as const, reason: 'Every step passed.' };
    const batch = { ...stored({ type: 'run.stopped', at, stop }, 9), summary: delivered };
    expect(notificationsOf(batch)).toEqual([
      {
        seq: 9,
        facts: {
          type: 'run.ended',
          stop,
          delivery: { outcome: 'branch', branch: 'setpoint/run_1', commit: 'abc' },
          passes: 2,
          spendUsd: 0.5,
          commands: ['setpoint show run_1'],
        },
      },
    ]);
  });

  test('E2: a pause tells why, and the remedy', () => {
    const event: RunEvent = { type: 'run.paused', at, code: 'run/over-budget', reason: 'Spent.', remedy: 'raise it' };
    expect(notificationsOf(stored(event))).toMatchObject([
      { facts: { type: 'run.paused', code: 'run/over-budget', reason: 'Spent.', remedy: 'raise it' } },
    ]);
  });

  test('V-17: over random runs each step that finally failed is told once, and a loop that fires never', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(arbitraryPlan, fc.infiniteStream(fc.nat(999)), (plan, numbers) => {
        const draw = (below: number) => (numbers.next().value ?? 0) % Math.max(1, below);
        const { events } = simulate(plan, draw, { crashes: true, messages: true, continueAsNew: false });
        const batch = { runId: 'run_1', summary, events: events.map((event, index) => ({ seq: index + 1, event })) };
        const told = notificationsOf(batch);
        const heard = new Set([
          'step.failed',
          'run.paused',
          'run.stopped',
          'task.opened',
          'task.reminded',
          'task.escalated',
        ]);
        expect(told.map(({ seq }) => seq)).toEqual(
          batch.events.filter(({ event }) => heard.has(event.type)).map(({ seq }) => seq),
        );
        for (const { facts } of told) expect(NotificationFacts.parse(facts)).toEqual(facts);
        for (const { event } of batch.events) seen.add(event.type);
      }),
      { numRuns: 200 },
    );
    expect([...seen]).toEqual(expect.arrayContaining(['step.failed', 'run.paused', 'run.stopped', 'loop.fired']));
  });

  test('D5, D6: a task tells its question and the commands that decide it; reminders take the question from its opening', () => {
    const on = { at, step: 'ready', pass: 1, task: 'task_1.ready', revision: 2 };
    const question: RunEventOf<'task.opened'> = {
      type: 'task.opened',
      ...on,
      ask: { text: 'Ship it?' },
      shown: [],
      who: ['team:web'],
      quorum: 1,
      notAuthor: false,
      backTo: ['implement'],
    };
    const named = 'task_1.ready --revision 2';
    const decide = [`setpoint approve ${named}`, `setpoint reject ${named} --message "…"`];
    const task = { id: 'task_1.ready', revision: 2, step: 'ready', pass: 1 };
    const asked = {
      ask: 'Ship it?',
      who: ['team:web'],
      commands: [...decide, `setpoint push-back ${named} --message "…"`],
    };
    const factsOf = (event: RunEvent) => notificationsOf(stored(event)).map(({ facts }) => facts);
    expect(factsOf(question)).toEqual([{ type: 'task.opened', task, ...asked }]);
    const [reminded] = factsOf({ type: 'task.reminded', ...on, count: 3 });
    const [escalated] = factsOf({ type: 'task.escalated', ...on, to: ['lead'] });
    if (reminded === undefined || escalated === undefined) throw new Error('both are told');
    expect(reminded).toMatchObject({ task, ask: '', commands: decide });
    expect(withQuestion(reminded, question)).toEqual({ type: 'task.reminded', task, ...asked, count: 3 });
    expect(withQuestion(escalated, question)).toMatchObject({ ...asked, who: ['team:web', 'lead'], to: ['lead'] });
    expect(withQuestion(escalated, { ...question, who: [] })).toMatchObject({ who: [] });
    expect(notificationUrl('http://x', 'run_1', reminded)).toBe('http://x/v1/tasks/task_1.ready');
  });

  test('a text of any length and any characters is cut to what a notification carries', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5_000 }), fc.constantFrom(1, 50), (reason, times) => {
        const [told] = notificationsOf(stored({ ...failedStep, reason: reason.repeat(times) }));
        expect(NotificationFacts.safeParse(told?.facts).success).toBe(true);
      }),
    );
    expect(textCharacters).toBe(1_000);
  });

  test('ids differ between events of a run and between runs', () => {
    expect(new Set([notificationId('run_1', 1), notificationId('run_1', 11), notificationId('run_11', 1)]).size).toBe(
      3,
    );
  });
});

describe('who hears of it', () => {
  const batch = stored({ type: 'run.stopped', at, stop: { kind: 'failed', reason: 'x' } });

  test('each channel of the settings, and of an end the callback too, whatever the settings leave out', () => {
    const channels = ['webhook', 'slack'] as const;
    const heard = (types: readonly NotificationFacts['type'][]) =>
      outboxRows({ channels, types }, batch).map(({ channel }) => channel);
    expect(heard(['run.ended'])).toEqual(['webhook', 'slack', 'callback']);
    expect(heard(['step.failed'])).toEqual(['callback']);
    const audience = { channels, types: ['step.failed'] as const };
    expect(outboxRows(audience, stored(failedStep)).map(({ channel }) => channel)).toEqual(['webhook', 'slack']);
  });

  test('a callback names where its secret is, never the secret, and never a setting of the server', () => {
    const accepts = (callback: unknown) => Callback.safeParse(callback).success;
    const url = 'https://ci.example/hook';
    expect(accepts({ url })).toBe(true);
    expect(accepts({ url, secret: 'env:HOOK' })).toBe(true);
    expect(accepts({ url, secret: 'secret:CI_HOOK' })).toBe(true);
    expect(accepts({ url, secret: 'hunter2hunter2' })).toBe(false);
    expect(accepts({ url, secret: 'env:SETPOINT_TOKEN' })).toBe(false);
    expect(accepts({ url: 'file:///etc/passwd' })).toBe(false);
  });
});

describe('for the eyes of people', () => {
  const run = {
    id: 'run_1',
    name: 'Mend',
    project: 'web',
    labels: ['a', 'b'],
    url: 'http://127.0.0.1:4747/v1/runs/run_1',
  };
  const head = { id: 'run_1:1', at: '2026-01-01T00:00:00.000Z', url: run.url, run };

  test('every stop has a title of one line, also where the name of the run has more', () => {
    for (const kind of StopKind.options) {
      const [told] = notificationsOf(stored({ type: 'run.stopped', at, stop: { kind, reason: 'Because.' } }));
      if (told === undefined) throw new Error('an end is told');
      const message = messageOf({ ...head, run: { ...run, name: 'Mend\r\nBcc: all@example.com' }, ...told.facts });
      expect(message.title).toBe(`Mend Bcc: all@example.com: ${kind.replaceAll('_', ' ')}`);
      expect(message.body).toBe('Because.\nRun run_1 · project web · a, b');
    }
  });

  test('the remedy and the delivery are told where there are any', () => {
    const stop = { kind: 'delivery_failed' as const, reason: 'The branch exists.', remedy: 'git branch -d x' };
    const delivered = { ...stored({ type: 'run.stopped', at, stop }), summary: { ...summary, commit: 'abc' } };
    const [told] = notificationsOf(delivered);
    if (told === undefined) throw new Error('an end is told');
    expect(messageOf({ ...head, ...told.facts }).body).toContain('To clear it: git branch -d x\nDelivered: commit abc');
  });
});

import { describe, expect, test } from 'vitest';

import { summarise } from '#core/run/summarise.ts';

import { plan, scriptedAgent, step } from '../fakes/plans.ts';
import { ok } from './outcomes.ts';
import { play } from './play.ts';

const nothing = { estimated: false, inputTokens: 0, outputTokens: 0 };
const working = () => play(plan([step('work', { work: scriptedAgent(['true']) })])).opens();

describe('E5: what an interruption costs', () => {
  test('E5: stages that fail again and again after the process has ended are not tried for ever', () => {
    const run = working();
    for (let count = 0; count < 3; count += 1) {
      run.faults('work', 'workspace/snapshot-failed').recovers('work', { kind: 'resumable' });
      expect(run.underWay).toEqual(['attempt work#1.1']);
    }
    run.faults('work', 'workspace/snapshot-failed').recovers('work', { kind: 'resumable' });
    expect(run.stop).toMatchObject({ kind: 'failed', code: 'host/crashed' });
  });

  test.each(['store/disk-full', 'workspace/locked'])(
    'E5: %s is waited for, ever longer, and spends no restart',
    (code) => {
      const run = working();
      for (const seconds of [5, 10, 20, 40, 80]) {
        run.faults('work', code).recovers('work', { kind: 'lost', spend: nothing });
        expect([run.underWay, run.wakesInSeconds]).toEqual([[], seconds]);
        run.waits(seconds);
      }
      expect(run.underWay).toEqual(['attempt work#1.6']);
      expect(run.step('work')).toMatchObject({ pass: 1, crashes: 0, retries: 0 });
      expect(run.attempts('work', ok({ tree: 'a' })).step('work').outcome).toBe('succeeded');
    },
  );

  test('E5, E2: later stages wait too, as the same attempt, and the run says for what', () => {
    const run = working().faults('work', 'store/disk-full').recovers('work', { kind: 'resumable' });
    expect([run.underWay, run.wakesInSeconds]).toEqual([[], 5]);
    const { status, why } = summarise(run.plan, run.state, run.events.length);
    expect([status, why]).toEqual(['waiting', expect.stringContaining('waits 5 s for what interrupted it: ')]);
    run.waits(5);
    expect(run.underWay).toEqual(['attempt work#1.1']);
    expect(run.input('work')).toMatchObject({ resume: true, restore: false });
  });
});

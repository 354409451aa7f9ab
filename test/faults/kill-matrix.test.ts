import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StackRole } from '#core/contract/stack.ts';
import { workKeyText } from '#core/contract/work-key.ts';
import { killAtGate } from './agent-process.ts';
import { expectWhole } from './expect-whole.ts';
import type { HeldRun } from './held-run.ts';
import { firstEventSince, type Moment, moments, type Scene, setScene } from './moments.ts';
import { startTestStack, type TestStack } from './stack.ts';
import { until } from './until.ts';

const roles = ['host', 'control', 'api', 'temporal', 'postgres', 'supervisor'] as const;
const victims = [...roles, 'agent', 'everything'] as const;
type Victim = (typeof victims)[number];

/** The moments in which the run has a process of its own: only there can it be killed. */
const withProcess: readonly Moment[] = ['opening', 'in an attempt', 'in a check'];

const seconds = new Map<Victim, Map<Moment, number>>();
let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(async () => {
  process.stdout.write(table());
  await stack?.close();
});

for (const victim of victims) {
  describe(`kill -9 of the ${victim}`, () => {
    let scene: Scene;
    let pids: ReadonlyMap<StackRole, number>;

    beforeAll(async () => {
      await stack.up();
      pids = new Map(roles.map((role) => [role, stack.pid(role)]));
      scene = await setScene(stack, `${victim} killed`);
      await killAndRelease(victim, scene);
    });

    afterAll(async () => {
      await scene?.release();
    });

    for (const moment of victim === 'agent' ? withProcess : moments) {
      test(`E5: ${moment}, the run goes on by itself and repeats nothing that was done`, async () => {
        const run = scene.runs[moment];
        expect((await run.ended()).summary.stop).toMatchObject({ kind: 'succeeded' });
        await expectWhole(run, { agentStarts: 2 + lostAttempts(victim, moment) });
      });
    }

    test('afterwards every process is there, and those that were not killed are the same as before', async () => {
      await stack.up();
      const same = roles.filter((role) => stack.pid(role) === pids.get(role));
      expect(same).toEqual(roles.filter((role) => role !== victim && victim !== 'everything'));
    });
  });
}

/** E5: an attempt that was under way is started again, and nothing else. */
function lostAttempts(victim: Victim, moment: Moment): number {
  return moment === 'in an attempt' && endsProcesses(victim) ? 1 : 0;
}

/** Does it end what the run has under way? */
function endsProcesses(victim: Victim): boolean {
  return victim === 'host' || victim === 'agent' || victim === 'everything';
}

async function kill(victim: Victim, scene: Scene): Promise<void> {
  if (victim === 'agent') {
    await Promise.all(withProcess.map((moment) => killAtGate(idAt(moment, scene.runs[moment]))));
  } else if (victim === 'everything') {
    // As a machine that loses its power, but that what the host had started lives on.
    await Promise.all(roles.map((role) => stack.kill(role)));
    await scene.release();
    await stack.up();
  } else {
    await stack.kill(victim);
  }
}

async function killAndRelease(victim: Victim, scene: Scene): Promise<void> {
  const before = arrivals(scene);
  const killedAt = Date.now();
  await kill(victim, scene);
  await scene.release();
  const watched = victim === 'agent' ? withProcess : moments;
  const found = await Promise.all(
    watched.map(async (moment) => {
      const at = await untilGoesOn(victim, moment, { run: scene.runs[moment], before: before[moment], killedAt });
      return [moment, (at - killedAt) / 1000] as const;
    }),
  );
  seconds.set(victim, new Map(found));
}

interface Watch {
  run: HeldRun;
  before: number;
  killedAt: number;
}

/** Until what was under way is begun again, where it died; else until the law decides something new. When that was. */
async function untilGoesOn(victim: Victim, moment: Moment, { run, before, killedAt }: Watch): Promise<number> {
  const dies = endsProcesses(victim) && withProcess.includes(moment);
  // A check that was killed has failed, and the loop goes on with the next pass.
  if (dies && !(victim === 'agent' && moment === 'in a check')) {
    await run.untilArrived(before + 1);
    const at = Date.now();
    run.letGo();
    return at;
  }
  run.letGo();
  return until(`${moment}: something new is decided`, () =>
    firstEventSince(stack, run.runId, killedAt).catch(() => undefined),
  );
}

function arrivals(scene: Scene): Record<Moment, number> {
  return Object.fromEntries(moments.map((moment) => [moment, scene.runs[moment].arrivals()])) as Record<Moment, number>;
}

function idAt(moment: Moment, { runId }: HeldRun): string {
  if (moment === 'opening') return `${runId}/@open`;
  const step = 'work';
  if (moment === 'in a check') return `${runId}/${step}#1.judge1`;
  return workKeyText({ runId, step, pass: 1, attempt: 1 });
}

function table(): string {
  const cell = (victim: Victim, moment: Moment) => seconds.get(victim)?.get(moment)?.toFixed(1) ?? '-';
  const rows = victims.map((victim) => `| ${victim} | ${moments.map((moment) => cell(victim, moment)).join(' | ')} |`);
  const head = `| killed, seconds until it goes on | ${moments.join(' | ')} |`;
  return `\n${[head, `|---|${moments.map(() => '---|').join('')}`, ...rows].join('\n')}\n`;
}

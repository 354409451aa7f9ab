import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workKeyText } from '#core/contract/work-key.ts';
import { killAtGate } from './agent-process.ts';
import { expectWhole } from './expect-whole.ts';
import type { HeldRun } from './held-run.ts';
import { countEvents, type Moment, moments, type Scene, setScene } from './moments.ts';
import { startTestStack, type TestStack } from './stack.ts';
import { until } from './until.ts';

const victims = ['host', 'control', 'api', 'temporal', 'postgres', 'supervisor', 'agent'] as const;
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

    beforeAll(async () => {
      await stack.untilUp();
      scene = await setScene(stack, `${victim} killed`);
      await killAndRelease(victim, scene);
    });

    afterAll(async () => {
      await scene?.release();
      await stack.up();
      await stack.untilUp();
    });

    for (const moment of victim === 'agent' ? withProcess : moments) {
      test(`E5: ${moment}, the run goes on by itself and repeats nothing that was done`, async () => {
        const run = scene.runs[moment];
        expect((await run.ended()).summary.stop).toMatchObject({ kind: 'succeeded' });
        await expectWhole(run, { agentStarts: 2 + lostAttempts(victim, moment) });
      });
    }

    for (const title of victim === 'supervisor' ? ['what it left is adopted when the stack is started again'] : []) {
      test(title, async () => {
        const roles = ['api', 'control', 'host', 'temporal', 'postgres'] as const;
        const before = roles.map((role) => stack.pid(role));
        await stack.up();
        expect(roles.map((role) => stack.pid(role))).toEqual(before);
      });
    }
  });
}

/** E5: an attempt that was under way is started again, and nothing else. */
function lostAttempts(victim: Victim, moment: Moment): number {
  return moment === 'in an attempt' && (victim === 'host' || victim === 'agent') ? 1 : 0;
}

async function killAndRelease(victim: Victim, scene: Scene): Promise<void> {
  const before = arrivals(scene);
  const killedAt = performance.now();
  if (victim === 'agent') await Promise.all(withProcess.map((moment) => killAtGate(idAt(moment, scene.runs[moment]))));
  else await stack.kill(victim);
  await scene.release();
  const watched = victim === 'agent' ? withProcess : moments;
  const found = await Promise.all(
    watched.map(async (moment) => {
      await untilGoesOn(victim, moment, { scene, before: before[moment] });
      return [moment, (performance.now() - killedAt) / 1000] as const;
    }),
  );
  seconds.set(victim, new Map(found));
}

/** Until what was under way is begun again, where it died; else until the next event is recorded. */
async function untilGoesOn(
  victim: Victim,
  moment: Moment,
  { scene, before }: { scene: Scene; before: number },
): Promise<void> {
  const run = scene.runs[moment];
  const dies = (victim === 'host' || victim === 'agent') && withProcess.includes(moment);
  // A check that was killed has failed, and the loop goes on with the next pass.
  if (dies && !(victim === 'agent' && moment === 'in a check')) await run.untilArrived(before + 1);
  run.letGo();
  await until(`${moment}: something new is recorded`, async () => {
    const events = await countEvents(stack, run.runId).catch(() => 0);
    return events > scene.recorded[moment] ? true : undefined;
  });
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

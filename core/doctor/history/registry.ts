import { counted, durationText } from '#core/plan/amounts.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { RunEvent } from '#core/run/event.ts';
import type { Found, Rule } from '#core/doctor/rule.ts';
import type { PassCost } from '#core/doctor/history/passes.ts';

/** What the rules over a run look at. */
export interface History {
  plan: Plan;
  events: readonly RunEvent[];
  passes: readonly PassCost[];
}

/** A rule over what a run's record shows. */
export interface HistoryRule extends Omit<Rule, 'find' | 'example'> {
  find: (history: History) => Found[];
}

const stuck: HistoryRule = {
  id: 'run/stuck',
  severity: 'warning',
  missing: 'route',
  title: 'Passes came out the same: the same tree, the same findings.',
  why: 'What was found does not reach the agent, or it cannot act on it; each further pass costs the same and brings nothing.',
  remedy:
    'Read the feedback of the last pass: say in the task how the check is met, or change the check; then `setpoint retry`.',
  find: ({ events }) =>
    lastOf(events, 'loop.fired').flatMap((event): Found[] => {
      if (event.repeats === 0) return [];
      const message = `the last ${event.repeats + 1} passes of \`${event.step}\` came out the same`;
      return [{ path: `steps.${event.step}.loop`, loop: event.step, message }];
    }),
};

const pingPong: HistoryRule = {
  id: 'run/ping-pong',
  severity: 'warning',
  missing: 'route',
  title: 'The same finding came back again and again.',
  why: 'One demand undoes what another one asked for, or the finding cannot be met as it is put.',
  remedy: 'Compare what the passes changed (`setpoint diff RUN --pass N`): settle in the task which demand counts.',
  find: ({ events }) =>
    [...verdictsBy(events)].flatMap(([key, judged]): Found[] => {
      const [step = '', check = ''] = key.split('\n');
      const counts = new Map<string, number>();
      for (const { kind, evidence } of judged) {
        if (kind === 'pass' || evidence.digest === undefined) continue;
        counts.set(evidence.digest, (counts.get(evidence.digest) ?? 0) + 1);
      }
      const most = Math.max(0, ...counts.values());
      if (most < 3) return [];
      const message = `\`${check}\` found the same in ${most} of ${counted(judged.length, 'pass', 'passes')}`;
      return [{ path: `steps.${step}.checks`, loop: step, message }];
    }),
};

const costs: HistoryRule = {
  id: 'run/cost-per-pass',
  severity: 'note',
  title: 'What the passes of a step took.',
  why: 'A loop is worth its limit as long as a pass costs less than what it brings.',
  remedy: 'Lower `limits.passes` or `limits.spend` where the late passes bring nothing; put cheap checks first.',
  find: ({ passes }) =>
    [...new Set(passes.map(({ step }) => step))].flatMap((step): Found[] => {
      const own = passes.filter((pass) => pass.step === step);
      if (own.length < 2) return [];
      const seconds = Math.round(own.reduce((all, { durationMs }) => all + durationMs, 0) / own.length / 1000);
      const priced = own.flatMap(({ usd }) => (usd === null ? [] : [usd]));
      const total = priced.reduce((all, usd) => all + usd, 0);
      const money =
        priced.length === 0 ? '' : `, ${total.toFixed(2)} USD, ${(total / own.length).toFixed(2)} USD a pass`;
      const message = `\`${step}\` took ${counted(own.length, 'pass', 'passes')} of ${durationText(seconds)} on average${money}`;
      return [{ path: `steps.${step}`, message }];
    }),
};

const neverFired: HistoryRule = {
  id: 'run/loop-never-fired',
  severity: 'note',
  title: 'A loop of a run that has ended never fired.',
  why: 'Everything passed at once: either the work was easy, or the check asks for too little.',
  remedy: 'Look whether the check would have failed before the work was done: `baseline: report` runs it on the base.',
  find: ({ plan, events }) => {
    const stop = events.findLast((event) => event.type === 'run.stopped');
    if (stop?.type !== 'run.stopped' || stop.stop.kind !== 'succeeded') return [];
    const fired = new Set(events.flatMap((event) => (event.type === 'loop.fired' ? [event.step] : [])));
    return plan.steps.flatMap(({ id, loop, work }): Found[] => {
      if (loop === undefined || work.kind === 'person' || fired.has(id) || failedOnBase(events, id)) return [];
      return [
        { path: `steps.${id}.loop`, loop: id, message: `the loop of \`${id}\` never fired: its first pass passed` },
      ];
    });
  },
};

const neverFailed: HistoryRule = {
  id: 'run/check-never-failed',
  severity: 'note',
  title: 'A check passed in every pass while others sent the work back.',
  why: 'It decided nothing in this run: it may be one that cannot fail.',
  remedy: 'Break the work on purpose and see whether the check notices.',
  find: ({ events }) =>
    [...verdictsBy(events)].flatMap(([key, judged]): Found[] => {
      const [step = '', check = ''] = key.split('\n');
      if (judged.length < 3 || judged.some(({ kind }) => kind !== 'pass')) return [];
      return [
        { path: `steps.${step}.checks`, loop: step, message: `\`${check}\` passed in each of ${judged.length} passes` },
      ];
    }),
};

const couldNotRun: HistoryRule = {
  id: 'run/check-could-not-run',
  severity: 'warning',
  missing: 'signal',
  title: 'A check could not be run.',
  why: 'What could not run says nothing about the work: it never passes, whatever the agent does.',
  remedy: 'Install what it needs under `workspace.setup`, or correct the command.',
  find: ({ events }) =>
    [...verdictsBy(events)].flatMap(([key, judged]): Found[] => {
      const [step = '', check = ''] = key.split('\n');
      const broken = judged.findLast(({ kind }) => kind === 'error');
      if (broken === undefined) return [];
      return [
        { path: `steps.${step}.checks`, loop: step, message: `\`${check}\` could not run: ${broken.evidence.summary}` },
      ];
    }),
};

/** In the order in which they are told. */
export const historyRules: readonly HistoryRule[] = [stuck, pingPong, couldNotRun, neverFired, neverFailed, costs];

/** The last event of each step. */
function lastOf<T extends RunEvent['type']>(events: readonly RunEvent[], type: T) {
  const last = new Map<string, Extract<RunEvent, { type: T; step: string }>>();
  for (const event of events) if (isOf(event, type)) last.set(event.step, event);
  return [...last.values()];
}

function isOf<T extends RunEvent['type']>(
  event: RunEvent,
  type: T,
): event is Extract<RunEvent, { type: T; step: string }> {
  return event.type === type;
}

/** By step and check, one verdict a pass. */
function verdictsBy(events: readonly RunEvent[]): Map<string, Verdict[]> {
  const judged = new Map<string, Verdict[]>();
  for (const event of events) {
    if (event.type !== 'check.judged') continue;
    const key = `${event.step}\n${event.check}`;
    judged.set(key, [...(judged.get(key) ?? []), event.verdict]);
  }
  return judged;
}

/** Its checks did fail before the work: the base shows it. */
function failedOnBase(events: readonly RunEvent[], step: string): boolean {
  return events.some(
    (event) =>
      event.type === 'baseline.judged' &&
      event.verdicts.some((each) => each.step === step && each.verdict.kind !== 'pass'),
  );
}

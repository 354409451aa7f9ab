import type { AttemptInput } from '#core/contract/activities.ts';
import type { Plan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import type { AttemptEnd, AttemptResult } from '#core/run/attempt-result.ts';
import { type Work, workName } from '#core/run/command.ts';
import type { RunEvent } from '#core/run/event.ts';
import { wakeAt } from '#core/run/limits.ts';
import { may } from '#core/run/may.ts';
import { eventOf } from '#core/run/message-event.ts';
import { next } from '#core/run/next.ts';
import { begun, cancelledFault, faulted, type Outcome, settled } from '#core/run/settle.ts';
import { initialState, type RunState } from '#core/run/state.ts';
import { attemptInput } from '#core/run/work-input.ts';

/** Draws a number below `below`: the only randomness of a simulation, so that fast-check can shrink it. */
export type Draw = (below: number) => number;

export interface Started {
  work: Work;
  state: RunState;
  input?: AttemptInput;
}

export interface Simulation {
  events: RunEvent[];
  states: RunState[];
  started: Started[];
  end: RunState;
  /** Work that was under way at the same time, after each event. */
  together: Work[][];
}

const mostSteps = 4000;
const noSpend = { usd: 0.01, estimated: false, inputTokens: 1, outputTokens: 1 };

/** What the simulation may do to a run beside settling its work. */
export interface Trouble {
  crashes: boolean;
  messages: boolean;
  /** Passes the state through JSON after every event, as continue-as-new does. */
  continueAsNew: boolean;
}

/** Plays a plan against a world that draws every outcome: results, late results, faults, crashes, messages. */
export function simulate(plan: Plan, draw: Draw, trouble: Trouble): Simulation {
  const world = createWorld(plan, draw, trouble);
  world.emit({ type: 'run.started', at: 1, runId: 'run_1' });
  for (let turn = 0; turn < mostSteps && world.state().stop === null; turn += 1) {
    if (!decide(plan, world) && !world.happen()) break;
  }
  return { ...world.record, end: world.state() };
}

/** One round of the law; false when nothing was due. */
function decide(plan: Plan, world: World): boolean {
  const commands = next(plan, world.state());
  let moved = false;
  for (const command of commands) {
    if (command.do === 'emit') world.emit(command.event);
    else if (command.do === 'cancel') world.cancel(command.work);
    else world.start(command);
    moved ||= command.do !== 'cancel';
  }
  return moved;
}

type World = ReturnType<typeof createWorld>;

function createWorld(plan: Plan, draw: Draw, trouble: Trouble) {
  let state = initialState(plan);
  let clock = 1;
  let troubles = 0;
  const inFlight = new Map<string, { work: Work; cancelled: boolean }>();
  const record: Omit<Simulation, 'end'> = { events: [], states: [], started: [], together: [] };

  function emit(event: RunEvent): void {
    state = apply(plan, state, event);
    if (trouble.continueAsNew) state = JSON.parse(JSON.stringify(state)) as RunState;
    record.events.push(event);
    record.states.push(state);
    record.together.push([...inFlight.values()].map(({ work }) => work));
  }

  function start(work: Work): void {
    const input = work.do === 'attempt' ? attemptInput({ plan, inputs: {} }, state, work) : undefined;
    record.started.push({ work, state, ...(input === undefined ? {} : { input }) });
    inFlight.set(workName(work), { work, cancelled: false });
    emit(begun(work, clock));
  }

  function cancel(name: string): void {
    const entry = inFlight.get(name);
    if (entry !== undefined) entry.cancelled = true;
  }

  function settleOne(): void {
    const entries = [...inFlight.entries()];
    const picked = entries[draw(entries.length)];
    if (picked === undefined) return;
    const [name, { work, cancelled }] = picked;
    inFlight.delete(name);
    const ended = cancelled && draw(2) === 0;
    const crashed = !ended && trouble.crashes && draw(12) === 0;
    const fault = ended ? cancelledFault : 'host/crashed';
    const events =
      ended || crashed
        ? faulted(state, work, { code: fault, message: 'drawn' }, clock)
        : settled(plan, state, work, outcomeOf(work, draw), clock);
    for (const event of events) emit(event);
  }

  /** The seat is lost: nothing that was under way ever answers. */
  function lose(): void {
    inFlight.clear();
    emit({ type: 'run.reseated', at: clock, seat: 2 });
  }

  function say(): void {
    const kind = draw(2) === 0 ? ('cancel' as const) : ('retry' as const);
    const message = { kind, id: `message_${draw(3)}`, reason: 'drawn' };
    if (may(plan, state, message).kind === 'refused') return;
    const event = eventOf(plan, state, message, clock);
    if (event !== undefined) emit(event);
  }

  /** Something happens in the world; false when nothing can. */
  function happen(): boolean {
    clock += draw(2000);
    const kind = draw(30);
    if (trouble.crashes && kind === 0 && troubles < 20) {
      troubles += 1;
      lose();
      return true;
    }
    if (trouble.messages && kind === 1 && troubles < 20) {
      troubles += 1;
      say();
      return true;
    }
    if (inFlight.size > 0) {
      settleOne();
      return true;
    }
    const at = wakeAt(plan, state);
    if (at === undefined) return false;
    clock = Math.max(clock, at);
    emit({ type: 'timer.fired', at: clock });
    return true;
  }

  return { record, state: () => state, emit, start, cancel, happen };
}

function outcomeOf(work: Work, draw: Draw): Outcome {
  switch (work.do) {
    case 'openWorkspace':
      return {
        of: 'openWorkspace',
        value: { hostId: 'h', queue: 'q', path: '/w', base: snapshotOf(0), notes: [] },
      };
    case 'baseline':
      return { of: 'baseline', value: { verdicts: [], fingerprint: '' } };
    case 'evaluate':
      return { of: 'evaluate', value: drawCondition(draw) };
    case 'attempt':
      return { of: 'attempt', value: drawResult(draw) };
    case 'recover':
      return { of: 'recover', value: drawRecovered(draw) };
    case 'judge':
      return {
        of: 'judge',
        value: {
          fingerprint: `f${draw(4)}`,
          verdicts: work.checks.map((check) => ({ check, verdict: drawVerdict(draw) })),
        },
      };
    case 'review':
      return { of: 'review', value: { verdict: drawVerdict(draw), fingerprint: `f${draw(4)}`, spend: noSpend } };
    case 'openTask':
      return { of: 'openTask', value: { ask: { text: 'drawn' }, shown: [] } };
    case 'expand':
      return { of: 'expand', value: Array.from({ length: draw(4) }, (_, index) => `item ${index}`) };
    case 'startChild':
      return { of: 'startChild', value: { runId: `child_${work.step}_${work.pass}_${work.index}` } };
    case 'collect':
      return { of: 'collect', value: { output: { sha256: `all${draw(100)}`, bytes: 1, excerpt: '' } } };
    case 'cancelChild':
      return { of: 'cancelChild', value: null };
    case 'keepFiles':
      return { of: 'keepFiles', value: { files: 1 } };
    case 'deliver':
      return { of: 'deliver', value: { mode: 'branch', nothingToDeliver: false, commit: 'c', branch: 'b' } };
  }
}

function drawCondition(draw: Draw) {
  const drawn = draw(6);
  if (drawn === 0) return { kind: 'error' as const, reason: 'drawn' };
  return { kind: drawn < 4 ? ('met' as const) : ('unmet' as const), actual: 'drawn' };
}

function drawVerdict(draw: Draw) {
  const kinds = ['pass', 'pass', 'pass', 'fail', 'missing', 'error'] as const;
  return { kind: kinds[draw(kinds.length)] ?? 'fail', evidence: { summary: 'drawn', durationMs: 1 }, findings: [] };
}

function snapshotOf(tree: number) {
  return { commit: `commit${tree}`, tree: `tree${tree}`, head: 'head' };
}

function drawRecovered(draw: Draw) {
  const drawn = draw(3);
  if (drawn === 0) return { kind: 'finished' as const, result: drawResult(draw) };
  if (drawn === 1) return { kind: 'resumable' as const };
  return { kind: 'lost' as const, spend: noSpend };
}

function drawEnd(draw: Draw): AttemptEnd {
  const ends: AttemptEnd[] = [
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'ok' },
    { kind: 'failed', reason: 'exit 1' },
    { kind: 'timed_out', afterSeconds: 1 },
    { kind: 'crashed', reason: 'killed' },
    { kind: 'overload', reason: 'busy' },
  ];
  return ends[draw(ends.length)] ?? { kind: 'ok' };
}

function drawResult(draw: Draw): AttemptResult {
  const tree = draw(5);
  return {
    end: drawEnd(draw),
    output: { sha256: `out${draw(100)}`, bytes: 1, excerpt: '' },
    snapshot: snapshotOf(tree),
    fingerprint: `tree${tree}`,
    spend: noSpend,
    findings: [],
    durationMs: 1,
  };
}

import type { ConditionOutcome } from '#core/check/condition.ts';
import type { AttemptInput, Recovered } from '#core/contract/activities.ts';
import type { MessageAnswer, RunMessage, RunMessageOf } from '#core/contract/seat.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Plan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import { type Work, workName } from '#core/run/command.ts';
import type { DeliveryDone, RunEvent, RunEventOf } from '#core/run/event.ts';
import { wakeAt } from '#core/run/limits.ts';
import { may } from '#core/run/may.ts';
import { eventOf } from '#core/run/message-event.ts';
import { next } from '#core/run/next.ts';
import { begun, cancelledFault, faulted, type Outcome, settled } from '#core/run/settle.ts';
import { initialState, type RunState, type StepState, stepOf } from '#core/run/state.ts';
import { attemptInput } from '#core/run/work-input.ts';
import type { RunFacts } from '#core/run/work-scope.ts';

import type { Verdict } from '#core/check/verdict.ts';
import { taskOf } from '#core/run/apply-task.ts';
import type { StopKind } from '#core/run/stop.ts';
import type { Decision, DecisionKind } from '#core/task/question.ts';

import { type Judged, snapshotOf } from './outcomes.ts';

/**
 * Plays the law by hand: what is due is begun at once, and the test says how each piece of work ends. Time moves only
 * when the test says so. Every method gives the play itself, so that a story reads from left to right.
 */
export function play(plan: Plan): Play {
  return new Play(plan);
}

/** Decisions in a row without the world moving: more than any real one needs, so that a livelock fails the test. */
const mostDecisions = 200;
const second = 1000;
/** Not 0, which the law reads as "no event yet". */
const start = 1_000_000;

export class Play {
  readonly plan: Plan;
  readonly facts: RunFacts;
  readonly events: RunEvent[] = [];
  /** Names of the work that the law asked to end, in order. */
  readonly cancelled: string[] = [];
  /** What each attempt was started with, newest last. */
  readonly inputs: AttemptInput[] = [];
  state: RunState;
  clock = start;
  private readonly flying = new Map<string, Work>();

  constructor(plan: Plan) {
    this.plan = plan;
    this.facts = { plan, inputs: {} };
    this.state = initialState(plan);
    this.emit({ type: 'run.started', at: this.clock, runId: 'run_1' });
    this.decide();
  }

  /** What is under way, as `attempt work#1.1`, `judge work#1 (tests)`, `when work#1`, `@openWorkspace`. */
  get underWay(): string[] {
    return [...this.flying.values()].map(workText);
  }

  get stop() {
    return this.state.stop;
  }

  get paused() {
    return this.state.paused;
  }

  step(id: string): StepState {
    return stepOf(this.state, id);
  }

  /** All events of a type, oldest first. */
  all<T extends RunEvent['type']>(type: T): RunEventOf<T>[] {
    return this.events.filter((event): event is RunEventOf<T> => event.type === type);
  }

  last<T extends RunEvent['type']>(type: T): RunEventOf<T> {
    const event = this.all(type).at(-1);
    if (event === undefined) throw new TypeError(`no ${type} yet: ${this.events.map((each) => each.type).join(', ')}`);
    return event;
  }

  /** The input of the newest attempt of a step. */
  input(step: string): AttemptInput {
    const input = this.inputs.findLast(({ key }) => key.step === step);
    if (input === undefined) throw new TypeError(`step ${step} was never attempted`);
    return input;
  }

  /** The instant at which the law wants to be asked again, in seconds from now. */
  get wakesInSeconds(): number | undefined {
    const at = wakeAt(this.plan, this.state);
    return at === undefined ? undefined : (at - this.clock) / second;
  }

  /** The workspace is there; `base` is the tree it began at. */
  opens(base = 'base'): this {
    const opened = { hostId: 'host', queue: 'host-queue', path: '/work', notes: [] };
    const worktree = this.plan.workspace.worktree ? { base: snapshotOf(base) } : {};
    const folder = this.plan.artifacts === true ? { artifacts: '/artifacts' } : {};
    return this.settle('@openWorkspace', { of: 'openWorkspace', value: { ...opened, ...worktree, ...folder } });
  }

  /** The baseline's verdicts; each check is named `step/check`. */
  baseline(...verdicts: Judged[]): this {
    return this.settle('@baseline', { of: 'baseline', value: { verdicts, fingerprint: 'base' } });
  }

  attempts(step: string, value: AttemptResult): this {
    return this.settle(step, { of: 'attempt', value });
  }

  /** The fingerprint of the findings follows from the verdicts, as on a host. */
  judges(step: string, ...verdicts: Judged[]): this {
    const facts = verdicts.map(({ check, verdict }) => [check, verdict.kind, verdict.evidence.digest]);
    return this.settle(step, { of: 'judge', value: { verdicts, fingerprint: JSON.stringify(facts) } });
  }

  evaluates(step: string, value: ConditionOutcome): this {
    return this.settle(step, { of: 'evaluate', value });
  }

  recovers(step: string, value: Recovered): this {
    return this.settle(step, { of: 'recover', value });
  }

  /** One review; the fingerprint follows from its verdict. */
  reviews(step: string, verdict: Verdict, usd = 0.2): this {
    const spend = { usd, estimated: false, inputTokens: 100, outputTokens: 10 };
    return this.settle(step, { of: 'review', value: { verdict, fingerprint: verdict.kind, spend } });
  }

  /** The question is rendered and frozen. */
  asks(step: string, text = 'Is it good?'): this {
    return this.settle(step, { of: 'openTask', value: { ask: { text }, shown: [] } });
  }

  /** A person answers the question of a step as it stands. */
  answersTask(step: string, by: string, kind: DecisionKind, also: Partial<Decision> = {}): this {
    return this.says(this.decision(step, by, kind, also));
  }

  decision(step: string, by: string, kind: DecisionKind, also: Partial<Decision> = {}): RunMessageOf<'decide'> {
    const task = taskOf(this.state, step);
    const id = `decision-${this.events.length}-${by}`;
    const text = { sha256: `${by}-${kind}`, bytes: 1, excerpt: also.comment ?? '' };
    const decision = { kind, by, comment: '', text, digest: `${by}-${kind}-${also.comment ?? ''}`, ...also };
    return { kind: 'decide', id, by, task: task?.id ?? `task_1.${step}`, revision: task?.revision ?? 1, decision };
  }

  expands(step: string, ...items: string[]): this {
    return this.settle(step, { of: 'expand', value: items });
  }

  startsChild(step: string, runId: string): this {
    return this.settle(step, { of: 'startChild', value: { runId } });
  }

  /** A child run tells its end. */
  childEnds(step: string, index: number, stop: StopKind = 'succeeded', usd = 1): this {
    const { pass, call } = this.step(step);
    const runId = call?.children.find((child) => child.index === index)?.runId ?? `unknown_${index}`;
    const spend = { usd, estimated: false, inputTokens: 1, outputTokens: 1 };
    const output = { sha256: `output-${index}`, bytes: 1, excerpt: '' };
    const toParent = { output, outputs: {}, spend, activeMs: 1000 };
    const id = `child-${this.events.length}`;
    return this.says({ kind: 'childSettled', id, step, pass, index, runId, stop, toParent });
  }

  collects(step: string): this {
    return this.settle(step, { of: 'collect', value: { output: { sha256: 'all', bytes: 1, excerpt: '' } } });
  }

  tellsChild(runId: string): this {
    return this.settle(`@cancelChild ${runId}`, { of: 'cancelChild', value: null });
  }

  keeps(files = 1): this {
    return this.settle('@keepFiles', { of: 'keepFiles', value: { files } });
  }

  delivers(value: DeliveryDone): this {
    return this.settle('@deliver', { of: 'deliver', value });
  }

  /** The work under that name ends by a fault. */
  faults(name: string, code: string, message = 'it broke'): this {
    const work = this.take(name);
    for (const event of faulted(this.state, work, { code, message }, this.clock)) this.emit(event);
    return this.decide();
  }

  /** The work under that name has ended because the law asked for it. */
  endsCancelled(name: string): this {
    return this.faults(name, cancelledFault);
  }

  /** Time goes by while what is under way goes on; nobody asks the law meanwhile. */
  later(seconds: number): this {
    this.clock += seconds * second;
    return this;
  }

  /** The law's own timer fires after that time. */
  waits(seconds: number): this {
    this.clock += seconds * second;
    this.emit({ type: 'timer.fired', at: this.clock });
    return this.decide();
  }

  /** The seat is gone and another goes on from the record: nothing that was under way answers. */
  reseats(): this {
    this.flying.clear();
    this.emit({ type: 'run.reseated', at: this.clock, seat: 2 });
    return this.decide();
  }

  /** A message that is refused changes nothing. */
  says(message: RunMessage): this {
    if (this.answers(message).kind === 'refused') return this;
    const event = eventOf(this.plan, this.state, message, this.clock);
    if (event !== undefined) this.emit(event);
    return this.decide();
  }

  /** Another message came with it, before the law was asked. */
  unasked(message: RunMessage): this {
    const event = eventOf(this.plan, this.state, message, this.clock);
    if (event !== undefined) this.emit(event);
    return this;
  }

  answers(message: RunMessage): MessageAnswer {
    return may(this.plan, this.state, message);
  }

  private settle(name: string, outcome: Outcome): this {
    const work = this.take(name);
    for (const event of settled(this.plan, this.state, work, outcome, this.clock)) this.emit(event);
    return this.decide();
  }

  private take(name: string): Work {
    const work = this.flying.get(name);
    if (work === undefined) throw new TypeError(`${name} has nothing under way; there is: ${this.underWay.join(', ')}`);
    this.flying.delete(name);
    return work;
  }

  private emit(event: RunEvent): void {
    this.state = apply(this.plan, this.state, event);
    this.events.push(event);
  }

  private decide(): this {
    for (let turn = 0; turn < mostDecisions; turn += 1) {
      const commands = next(this.plan, this.state);
      for (const command of commands) {
        if (command.do === 'emit') this.emit(command.event);
        else if (command.do === 'cancel') this.cancelled.push(command.work);
        else this.begin(command);
      }
      if (commands.every((command) => command.do === 'cancel')) return this;
    }
    throw new TypeError(
      `the law never rests: ${this.events
        .slice(-5)
        .map(({ type }) => type)
        .join(', ')}`,
    );
  }

  private begin(work: Work): void {
    if (work.do === 'attempt') this.inputs.push(attemptInput(this.facts, this.state, work));
    this.flying.set(workName(work), work);
    this.emit(begun(work, this.clock));
  }
}

function workText(work: Work): string {
  switch (work.do) {
    case 'openWorkspace':
    case 'baseline':
    case 'keepFiles':
    case 'deliver':
      return workName(work);
    case 'evaluate':
      return `${work.purpose} ${work.step}#${work.pass}`;
    case 'attempt':
    case 'recover':
      return `${work.do} ${work.step}#${work.pass}.${work.attempt}`;
    case 'review':
      return `review ${work.step}#${work.pass} (${work.check})`;
    case 'openTask':
      return `ask ${work.step}#${work.pass}`;
    case 'expand':
    case 'collect':
      return `${work.do} ${work.step}#${work.pass}.${work.attempt}`;
    case 'startChild':
      return `child ${work.step}#${work.pass} [${work.index}]`;
    case 'cancelChild':
      return `cancel ${work.runId}`;
    case 'judge':
      return `judge ${work.step}#${work.pass} (${work.checks.join(', ')})`;
    default:
      return unreachable(work);
  }
}

import type { ConditionFound, ConditionOutcome } from '#core/check/condition.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import { everyStep } from '#core/plan/handlers.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import type { AttemptResult, SnapshotRef, Spend } from '#core/run/attempt-result.ts';
import type { DeliveryDone, ParentRef, ToParent } from '#core/run/event.ts';
import type { Stop, StopKind } from '#core/run/stop.ts';
import type { TaskState } from '#core/task/task.ts';

/** What is under way in the world for a step. A result is applied only while `pass` is the step's current one (C4). */
export interface Busy {
  work: 'when' | 'attempt' | 'recovery' | 'checks' | 'repeat' | 'task' | 'list' | 'child' | 'collect';
  pass: number;
  attempt: number;
  cancelling: boolean;
  /** Of `checks`: one review is asked. */
  review?: true;
}

/**
 * Where a step stands in its current pass (A1):
 * `idle` not begun · `cleared` may attempt (again) · `interrupted` its result must be looked up · `resumable` its
 * process had ended, the same attempt goes on · `lost` nothing was found · `asking` its task is open or decided ·
 * `calling` child runs are under way · `attempted` has a result · `judged` has its verdicts · `done`.
 */
export type Phase =
  | 'idle'
  | 'cleared'
  | 'interrupted'
  | 'resumable'
  | 'lost'
  | 'asking'
  | 'calling'
  | 'attempted'
  | 'judged'
  | 'done';

/** A child run of a call. */
export interface ChildState {
  readonly index: number;
  readonly runId: string;
  readonly settled: { readonly stop: StopKind; readonly toParent: ToParent } | null;
}

/** What a call step has under way in its pass. */
export interface CallState {
  /** One child run for each; a call without a list has one empty item. */
  readonly items: readonly string[];
  /** Those that were started, by index. */
  readonly children: readonly ChildState[];
  /** Epoch ms. */
  readonly begunAt: number;
  /** Epoch ms up to which the children's work is in the run's active time (E10). */
  readonly countedTo: number;
}

/** A child run of a pass that no longer counts: its end is waited for before the run's own. */
export interface StrayChild {
  readonly runId: string;
  readonly told: 'no' | 'telling' | 'yes';
}

export interface StepState {
  readonly phase: Phase;
  readonly busy: Busy | null;
  /** The current pass, from 1. A loop raises it. */
  readonly pass: number;
  /** How many passes of it really began. */
  readonly begun: number;
  /** Attempts begun in this pass. */
  readonly attempt: number;
  readonly outcome: 'succeeded' | 'failed' | 'skipped' | null;
  /** Failed, and the plan goes on all the same. */
  readonly continued: boolean;
  /** Skipped because this step before it was (A8). */
  readonly skippedBy: string | null;
  readonly failedAs: StopKind | null;
  readonly reason: string | null;
  /** Code of the fault that interrupted its attempt. */
  readonly interruptedBy: string | null;
  readonly when: ConditionOutcome | null;
  /** Budgets of this pass (A2): the plan's retries, the system's crash restarts; waits for others (a window, space). */
  readonly retries: number;
  readonly crashes: number;
  readonly waits: number;
  /** How often this step's own loop fired (C2). */
  readonly loops: number;
  /** Epoch ms before which it must not start. */
  readonly notBefore: number | null;
  /** Of the last finished attempt; outlives its pass, since templates may name it (V-19). */
  readonly result: AttemptResult | null;
  readonly resultPass: number;
  readonly verdicts: readonly { check: string; verdict: Verdict }[];
  readonly round: number;
  /** Judgings of this pass that ended in `error` (B1). */
  readonly checkErrors: number;
  /** The last round that had such an error. */
  readonly errorRound: number;
  readonly judgedTree: string | null;
  readonly judgedFingerprint: string;
  readonly repeat: ConditionOutcome | null;
  readonly conditionErrors: number;
  /** The snapshot that a reader was pinned to. */
  readonly pinned: SnapshotRef | null;
  readonly feedback: readonly FeedbackEntry[];
  /** What its agent is asked in this pass, in place of the step's own prompt (C6). */
  readonly prompt: string | null;
  /** What the condition of that loop found, for the words of `prompt` (C-12). */
  readonly found: ConditionFound | null;
  readonly session: string | null;
  /** C8: the fingerprints of this step's loop so far, newest last, at most 100. */
  readonly seen: readonly string[];
  readonly repeats: number;
  /** The last question of a person step, also after it was decided. */
  readonly task: TaskState | null;
  /** How often people sent work back from here. */
  readonly pushBacks: number;
  /** What a person told the next pass besides what the checks found. */
  readonly remarks: readonly FeedbackEntry[];
  readonly call: CallState | null;
  readonly strays: readonly StrayChild[];
  /** Child runs that told their end before their start was answered. */
  readonly early: readonly string[];
  /** Judged passes in a row, by check; those of reviews count (B6). */
  readonly streaks: Readonly<Record<string, number>>;
  /** The step as it was planned when its pass began, while an edit waits for the next one (E3). */
  readonly planned: StepPlan | null;
}

export interface WorkspaceState {
  readonly phase: 'none' | 'opening' | 'open';
  readonly hostId: string | null;
  readonly queue: string | null;
  readonly path: string | null;
  readonly base: SnapshotRef | null;
  /** The last snapshot that counts; the next attempt builds on it. */
  readonly snapshot: SnapshotRef | null;
  /** Of a run with a lane for each pass: the current one, `path`. `due`: the next writer begins a new one. */
  readonly lane?: { readonly number: number; readonly first: string; readonly due: boolean };
  /** The run's folder of artifacts, and the list of what the last attempt left in it; absent without one (D-06). */
  readonly artifacts?: { readonly path: string; readonly kept?: ArtifactRef };
  /** The tree may differ from `snapshot` by work that does not count: the next writer restores it first. */
  readonly dirty: boolean;
}

/** The end is known, nothing of the run is alive, and its handlers run (D-14). */
export interface Handling {
  /** As the run ends if they all succeed. */
  readonly stop: Stop;
  /** Why no more of them are to run: somebody cancelled the run meanwhile. */
  readonly cancelled: string | null;
  /** What the steps of the run left, which counts again once the handlers are done. */
  readonly snapshot: SnapshotRef | null;
}

/** Everything the law knows of a run: plain JSON, the fold of its events. */
export interface RunState {
  readonly version: 1;
  readonly runId: string;
  readonly startedAt: number;
  /** Since when the deadline counts, epoch ms: the start, or the last retry of the run. */
  readonly countedFrom: number;
  /** Of the last event, epoch ms: the law's only clock. */
  readonly now: number;
  /** Milliseconds of active work (E10). */
  readonly activeMs: number;
  readonly spend: Spend;
  readonly workspace: WorkspaceState;
  readonly baseline: {
    readonly phase: 'due' | 'running' | 'done';
    readonly verdicts: readonly { step: string; check: string; verdict: Verdict }[];
  };
  /** By step id, in plan order; then its handlers. */
  readonly steps: Readonly<Record<string, StepState>>;
  readonly paused: {
    readonly code: string;
    readonly reason: string;
    readonly remedy: string;
    readonly by: string | null;
    /** Whose loop is exhausted. */
    readonly step: string | null;
    /** A person is asked (C7). */
    readonly ask: boolean;
    /** And the question is there. */
    readonly asked: boolean;
    /** The plan revision that it was paused under. */
    readonly revision: number;
  } | null;
  /** The question about a limit (C7 `ask`), also after it was decided. */
  readonly question: TaskState | null;
  /** Sources that are switched off (E-19): no new pass begins. */
  readonly held: readonly string[];
  /** Of each source that was switched while the run was there, how often it had been. */
  readonly switches: Readonly<Record<string, number>>;
  /** Counts plan revisions from 1; `plan` is the one that counts now where it was edited or a limit was raised. */
  readonly revision: number;
  readonly plan: Plan | null;
  readonly parent: ParentRef | null;
  /** Of `spend` what its parent was told at an earlier end: one that is retried ends once more. */
  readonly toldSpend: Spend;
  /** D-23. */
  readonly kept: 'due' | 'running' | 'done';
  /** Nothing new starts; the run stops with this once all in flight has settled. */
  readonly ending: Stop | null;
  readonly handling: Handling | null;
  readonly delivery: { readonly phase: 'none' | 'running' | 'done'; readonly done: DeliveryDone | null };
  /** Message ids that were applied: the same one again changes nothing (D2). */
  readonly messages: readonly string[];
  readonly stop: Stop | null;
}

export const noSpend: Spend = { usd: 0, estimated: false, inputTokens: 0, outputTokens: 0 };

export const initialStep: StepState = {
  phase: 'idle',
  busy: null,
  pass: 1,
  begun: 0,
  attempt: 0,
  outcome: null,
  continued: false,
  skippedBy: null,
  failedAs: null,
  reason: null,
  interruptedBy: null,
  when: null,
  retries: 0,
  crashes: 0,
  waits: 0,
  loops: 0,
  notBefore: null,
  result: null,
  resultPass: 0,
  verdicts: [],
  round: 0,
  checkErrors: 0,
  errorRound: 0,
  judgedTree: null,
  judgedFingerprint: '',
  repeat: null,
  conditionErrors: 0,
  pinned: null,
  feedback: [],
  prompt: null,
  found: null,
  session: null,
  seen: [],
  repeats: 0,
  task: null,
  pushBacks: 0,
  remarks: [],
  call: null,
  strays: [],
  early: [],
  streaks: {},
  planned: null,
};

/** The state before the first event. */
export function initialState(plan: Plan): RunState {
  return {
    version: 1,
    runId: '',
    startedAt: 0,
    countedFrom: 0,
    now: 0,
    activeMs: 0,
    spend: noSpend,
    workspace: { phase: 'none', hostId: null, queue: null, path: null, base: null, snapshot: null, dirty: false },
    baseline: { phase: 'due', verdicts: [] },
    steps: Object.fromEntries(everyStep(plan).map((step) => [step.id, initialStep])),
    paused: null,
    question: null,
    held: [],
    switches: {},
    revision: 1,
    plan: null,
    parent: null,
    toldSpend: noSpend,
    kept: 'due',
    ending: null,
    handling: null,
    delivery: { phase: 'none', done: null },
    messages: [],
    stop: null,
  };
}

/** A state that an older build handed over: what it did not know yet has its first value. */
export function restoredState(plan: Plan, state: RunState): RunState {
  const steps = Object.entries(state.steps).map(([id, step]) => [id, { ...initialStep, ...step }] as const);
  const paused = state.paused === null ? null : { ...unasked, ...state.paused };
  return { ...initialState(plan), ...state, paused, steps: Object.fromEntries(steps) };
}

const unasked = { by: null, step: null, ask: false, asked: false, revision: 1 };

/** Is anything of the run under way in the world that a seat must wait for? Open tasks and child runs are at rest. */
export function isBusy(state: RunState): boolean {
  return (
    state.workspace.phase === 'opening' ||
    state.kept === 'running' ||
    isWorking(state) ||
    Object.values(state.steps).some(({ strays }) => strays.some(({ told }) => told === 'telling'))
  );
}

/** Is every step done for good, and what the run made being kept and delivered? */
export function isPassing(state: RunState): boolean {
  return state.delivery.phase !== 'none' || state.kept !== 'due';
}

/** Is a child run alive that no longer counts? */
export function hasStrays(state: RunState): boolean {
  return Object.values(state.steps).some(({ strays }) => strays.length > 0);
}

/** Active time counts exactly then (E10): a run whose workspace is to be opened waits for a host with a free slot. */
export function isWorking(state: RunState): boolean {
  return (
    state.baseline.phase === 'running' ||
    state.delivery.phase === 'running' ||
    Object.values(state.steps).some(({ busy }) => busy !== null)
  );
}

export function stepOf(state: RunState, id: string): StepState {
  const step = state.steps[id];
  if (step === undefined) throw new TypeError(`unknown step ${id}: the event is not of this plan`);
  return step;
}

import type { CheckPlanOf, HardCheck } from '#core/check/check-plan.ts';
import type { BaseFinding } from '#core/check/inherited.ts';
import type { Condition, ConditionFound, ConditionOutcome } from '#core/check/condition.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { CleanupInput, CleanupOutcome } from '#core/contract/cleanup.ts';
import type { WorkKey } from '#core/contract/work-key.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import type { DeliveryPlan, PersonPlan, Plan, StepPlan, WorkspacePlan } from '#core/plan/plan.ts';
import type { AttemptResult, SnapshotRef, Spend } from '#core/run/attempt-result.ts';
import type { DeliveryDone, ParentRef, StoredEvent } from '#core/run/event.ts';
import type { ListSplit } from '#core/run/list-items.ts';
import type { StopKind } from '#core/run/stop.ts';
import type { RunSummary } from '#core/run/summary.ts';
import type { Question } from '#core/task/question.ts';

/** Where a run works: the host that opened it and, with a worktree, the commit it began at. */
export interface WorkspaceOpened {
  hostId: string;
  /** The host's own task queue; from now on all work of the run goes there. */
  queue: string;
  path: string;
  base?: SnapshotRef;
  /** The run's folder of artifacts, where its plan asks for one. */
  artifacts?: string;
  notes: string[];
}

/** Where the work of a run is done: its workspace, and the folder of artifacts where it has one. */
export interface WorkPlace {
  plan: WorkspacePlan;
  path: string;
  base?: SnapshotRef;
  artifacts?: ArtifactsFolder;
}

/** A run's folder of artifacts on its host, outside its workspace (D-06). */
export interface ArtifactsFolder {
  path: string;
  /** The list of its files as the last attempt left them (`ArtifactsList`): laid in where the folder is gone. */
  kept?: ArtifactRef;
  /** The run that called this one: its folder can be written from here, too (D-12). */
  parent?: string;
}

/** What templates of a step may name (A11): all of it small, long texts by reference. */
export interface RenderScope {
  inputs: Record<string, string>;
  outputs: Record<string, ArtifactRef>;
  /** Values of an output, read as JSON: by `<step>.outputs.<name>` the output and the path in it. */
  named?: Record<string, { of: ArtifactRef; path: string }>;
  /** What people answered, by `<step>.outputs.<name>`: the fields of the form, `comment`, `decidedBy` (V-22). */
  answers?: Record<string, string>;
  feedback: FeedbackEntry[];
  /** How much of what was found reaches the next attempt, in characters; absent = the default of C9. */
  feedbackChars?: number;
  /** How often this step was re-entered: 0 in its first pass (V-21). */
  iteration: number;
  /** `base`: as the plan names it, else its commit. `status`: the one that the run is about to end with (handlers). */
  run: { id: string; name: string; base?: string; artifacts?: string; status?: string };
  /** What the condition of the loop that asked for this pass found (C-12). */
  condition?: ConditionFound;
  /** Of the child run that is to be started for it. */
  item?: { text: string; index: number };
}

/** The limits as the agent is told them (C9). */
export interface BriefFacts {
  pass: number;
  passLimit: number | null;
  checks: { name: string; sentence: string }[];
  /** B11: what already fails on the base is not held against the work. */
  newFailuresOnly?: boolean;
  remainingSeconds?: number;
  remainingUsd?: number;
}

export interface OpenWorkspaceInput {
  runId: string;
  workspace: WorkspacePlan;
  /** Of a run that was forked: the commit that it goes on from, which another run's refs hold until now. */
  snapshot?: string;
  /** D-23: the files that the last run of this project and name kept are laid into the workspace. */
  kept?: KeptFiles;
  /** The run has a folder of artifacts; `kept`: what a run that was forked begins with. */
  artifacts?: { kept?: ArtifactRef };
}

/** Which files are kept between which runs. */
export interface KeptFiles {
  project: string;
  name: string;
  globs: string[];
}

export interface AttemptInput {
  key: WorkKey;
  step: StepPlan;
  workspace: WorkPlace;
  /** The snapshot that the attempt starts from: restored when `restore`, checked out apart for a reader. */
  from?: SnapshotRef;
  /** An attempt before this one was interrupted: end what is left of it and rebuild the tree at `from` (E5). */
  restore: boolean;
  /** The same attempt goes on where its process had ended: its stored stages are taken up. */
  resume: boolean;
  /** The stored session to resume (E4), when the plan says so and there is one, and whose it is. */
  session?: string;
  sessionAgent?: string;
  /** Reports of the agent's own (B7): taken out of the workspace before the snapshot, and absent when the pass starts. */
  reportFiles?: string[];
  /** The worklist that the pass before left open. */
  worklist?: ArtifactRef;
  scope: RenderScope;
  brief: BriefFacts;
}

export interface JudgeInput {
  runId: string;
  step: string;
  pass: number;
  /** Counts judgings of one pass; verdicts are stored under (run, step, pass, round, check). */
  round: number;
  checks: HardCheck[];
  /** Work that no longer counts may have changed the tree: it is set back to `snapshot` first. */
  restore: boolean;
  /** Hold the protected files against the base as one more check (B4). */
  guard: boolean;
  workspace: WorkPlace;
  /** The pinned snapshot (B3); absent with `worktree: off`. */
  snapshot?: SnapshotRef;
  scope: RenderScope;
  env: Record<string, string>;
  /** B11: what failed on the base, by check, where that is not held against the work. */
  base?: Record<string, BaseFinding>;
  /** Of the outputs those that an agent gave, by step, with what it may have printed back (A5, A9). */
  heard?: Record<string, { echoed?: ArtifactRef }>;
  /** What the pass's attempt reported (B7), by path. */
  reports?: Record<string, ArtifactRef>;
}

export interface JudgeResult {
  verdicts: { check: string; verdict: Verdict }[];
  /** The checks' identity, outcomes and normalised findings (C8). */
  fingerprint: string;
}

export interface ReviewInput {
  runId: string;
  step: string;
  pass: number;
  round: number;
  check: CheckPlanOf<'review'>;
  /** What the work was asked to do: the step's prompt, a template; its command where it has none. */
  goal: string;
  workspace: WorkPlace;
  /** The pinned snapshot, checked out apart (B3, B5); absent with `worktree: off`. */
  snapshot?: SnapshotRef;
  /** What the checks before it found in this pass. */
  checked: { check: string; kind: Verdict['kind']; summary: string }[];
  /** Who did the work: a reviewer is of another provider where it may choose. */
  implementer?: string;
  scope: RenderScope;
  env: Record<string, string>;
  secrets: string[];
}

export interface ReviewResult {
  verdict: Verdict;
  /** The reviewer's normalised findings (C8, C10). */
  fingerprint: string;
  spend: Spend;
}

export interface OpenTaskInput {
  runId: string;
  step: string;
  pass: number;
  person: PersonPlan;
  workspace: WorkPlace;
  /** What is shown; absent with `worktree: off`. */
  snapshot?: SnapshotRef;
  scope: RenderScope;
}

/** The question with its text rendered and what it shows frozen. */
export type TaskOpened = Pick<Question, 'ask' | 'shown'>;

export interface ExpandInput {
  runId: string;
  step: string;
  /** A template that gives a JSON array, or lines or words. */
  list: string;
  /** Absent = lines. */
  split?: ListSplit;
  scope: RenderScope;
}

/** What a child run may spend at most: what its parent has left. */
export interface ChildLimits {
  timeSeconds?: number;
  deadlineSeconds?: number;
  spendUsd?: number;
}

export interface StartChildInput {
  parent: ParentRef;
  plan: Plan;
  limits: ChildLimits;
  /** Templates by the child's input. */
  inputs: Record<string, string>;
  scope: RenderScope;
  /** Where the child works when its own plan names no repository: in the parent's, at the parent's snapshot. */
  workspace: { repo: string; path: string; base?: string };
  priority?: number;
}

export interface CollectInput {
  runId: string;
  step: string;
  pass: number;
  attempt: number;
  /** The children of a list become one JSON array; the output of a single one is its own. */
  list: boolean;
  children: { item: string; runId: string; stop: StopKind; output?: ArtifactRef }[];
}

export interface Collected {
  output: ArtifactRef;
  /** What those that did not succeed tell the next pass. */
  feedback?: ArtifactRef;
}

export interface CancelChildInput {
  parentId: string;
  runId: string;
}

export interface KeepFilesInput extends KeptFiles {
  runId: string;
  workspace: { plan: WorkspacePlan; path: string };
}

export interface EvaluateInput {
  runId: string;
  step: string;
  pass: number;
  purpose: 'when' | 'repeat';
  condition: Condition;
  /** Judged in order after it; the first that is not met decides. */
  and?: Condition[];
  /** What it found is told to the next pass (C-12). */
  tell?: true;
  workspace: WorkPlace;
  /** The step's own: templates. Absent = none; so it is where an older build asked. */
  env?: Record<string, string>;
  /** What the plan grants the step; as `env`. */
  secrets?: string[];
  /** Where the step's processes start: a folder of the workspace. */
  directory?: string;
  /** What the workspace holds; absent with `worktree: off`. */
  snapshot?: SnapshotRef;
  /** Work that no longer counts may have changed the tree: it is set back to `snapshot` first. */
  restore: boolean;
  scope: RenderScope;
}

export interface DeliverInput {
  runId: string;
  name: string;
  delivery: DeliveryPlan;
  workspace: { plan: WorkspacePlan; path: string; base: SnapshotRef };
  /** Its tree is what passed every check (G2). */
  verified: SnapshotRef;
  /** The handlers of the run's end still work in the workspace (D-14). */
  stays?: true;
  /** Epoch ms written into the commit, so that a second try makes the same commit. */
  atMs: number;
  scope: RenderScope;
}

/** What is known of an attempt that was interrupted. */
export type Recovered =
  | { kind: 'finished'; result: AttemptResult }
  /** The process had ended and its output is stored, later stages are not: run the activity again with the same key. */
  | { kind: 'resumable' }
  | { kind: 'lost'; spend: Spend };

export interface RecordInput {
  runId: string;
  seat: number;
  events: StoredEvent[];
  summary: RunSummary;
  /** Is told when the run has ended. */
  parent?: ParentRef;
}

/** `later` = the database did not answer in time; nothing was written, try again. `superseded` = another seat owns the run. */
export type Recorded = 'recorded' | 'later' | 'superseded';

/** Activities that need the workspace: they run on the run's own host. */
export interface HostActivities {
  attempt(input: AttemptInput): Promise<AttemptResult>;
  judge(input: JudgeInput): Promise<JudgeResult>;
  evaluate(input: EvaluateInput): Promise<ConditionOutcome>;
  deliver(input: DeliverInput): Promise<DeliveryDone>;
  cleanupWorkspace(input: CleanupInput): Promise<CleanupOutcome>;
  review(input: ReviewInput): Promise<ReviewResult>;
  openTask(input: OpenTaskInput): Promise<TaskOpened>;
  keepFiles(input: KeepFilesInput): Promise<{ files: number }>;
}

/** Picked up by any host with a free slot, from the shared queue. */
export interface PlacementActivities {
  openWorkspace(input: OpenWorkspaceInput): Promise<WorkspaceOpened>;
}

/** Light and safe to run twice: what the control worker does itself. */
export interface ControlActivities {
  recordEvents(input: RecordInput): Promise<Recorded>;
  recoverAttempt(key: WorkKey): Promise<Recovered>;
  expand(input: ExpandInput): Promise<string[]>;
  /** Get-or-create by the child's place in its parent. */
  startChild(input: StartChildInput): Promise<{ runId: string }>;
  collect(input: CollectInput): Promise<Collected>;
  /** Returns once the cancellation cannot be lost any more. */
  cancelChild(input: CancelChildInput): Promise<void>;
}

export type Activities = HostActivities & PlacementActivities & ControlActivities;

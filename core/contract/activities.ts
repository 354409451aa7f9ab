import type { CheckPlan } from '#core/check/check-plan.ts';
import type { Condition, ConditionOutcome } from '#core/check/condition.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { CleanupInput, CleanupOutcome } from '#core/contract/cleanup.ts';
import type { WorkKey } from '#core/contract/work-key.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import type { DeliveryPlan, StepPlan, WorkspacePlan } from '#core/plan/plan.ts';
import type { AttemptResult, SnapshotRef, Spend } from '#core/run/attempt-result.ts';
import type { DeliveryDone, StoredEvent } from '#core/run/event.ts';
import type { RunSummary } from '#core/run/summary.ts';

/** Where a run works: the host that opened it and, with a worktree, the commit it began at. */
export interface WorkspaceOpened {
  hostId: string;
  /** The host's own task queue; from now on all work of the run goes there. */
  queue: string;
  path: string;
  base?: SnapshotRef;
  notes: string[];
}

/** What templates of a step may name (A11): all of it small, long texts by reference. */
export interface RenderScope {
  inputs: Record<string, string>;
  outputs: Record<string, ArtifactRef>;
  feedback: FeedbackEntry[];
  /** How often this step was re-entered: 0 in its first pass (V-21). */
  iteration: number;
  run: { id: string; name: string };
}

/** The limits as the agent is told them (C9). */
export interface BriefFacts {
  pass: number;
  passLimit: number | null;
  checks: { name: string; sentence: string }[];
  remainingSeconds?: number;
  remainingUsd?: number;
}

export interface OpenWorkspaceInput {
  runId: string;
  workspace: WorkspacePlan;
}

export interface AttemptInput {
  key: WorkKey;
  step: StepPlan;
  workspace: { plan: WorkspacePlan; path: string; base?: SnapshotRef };
  /** The snapshot that the attempt starts from: restored when `restore`, checked out apart for a reader. */
  from?: SnapshotRef;
  /** An attempt before this one was interrupted: end what is left of it and rebuild the tree at `from` (E5). */
  restore: boolean;
  /** The same attempt goes on where its process had ended: its stored stages are taken up. */
  resume: boolean;
  /** The stored session to resume (E4), when the plan says so and there is one. */
  session?: string;
  scope: RenderScope;
  brief: BriefFacts;
}

export interface JudgeInput {
  runId: string;
  step: string;
  pass: number;
  /** Counts judgings of one pass; verdicts are stored under (run, step, pass, round, check). */
  round: number;
  checks: CheckPlan[];
  /** Work that no longer counts may have changed the tree: it is set back to `snapshot` first. */
  restore: boolean;
  /** Hold the protected files against the base as one more check (B4). */
  guard: boolean;
  workspace: { plan: WorkspacePlan; path: string; base?: SnapshotRef };
  /** The pinned snapshot (B3); absent with `worktree: off`. */
  snapshot?: SnapshotRef;
  scope: RenderScope;
  env: Record<string, string>;
}

export interface JudgeResult {
  verdicts: { check: string; verdict: Verdict }[];
  /** The checks' identity, outcomes and normalised findings (C8). */
  fingerprint: string;
}

export interface EvaluateInput {
  runId: string;
  step: string;
  pass: number;
  purpose: 'when' | 'repeat';
  condition: Condition;
  workspace: { plan: WorkspacePlan; path: string };
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
}

/** Picked up by any host with a free slot, from the shared queue. */
export interface PlacementActivities {
  openWorkspace(input: OpenWorkspaceInput): Promise<WorkspaceOpened>;
}

/** Light and safe to run twice: what the control worker does itself. */
export interface ControlActivities {
  recordEvents(input: RecordInput): Promise<Recorded>;
  recoverAttempt(key: WorkKey): Promise<Recovered>;
}

export type Activities = HostActivities & PlacementActivities & ControlActivities;

import type { RunListed, RunOutcome } from '#core/contract/http.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { AttemptResult, SnapshotRef } from '#core/run/attempt-result.ts';
import type { DeliveryDone } from '#core/run/event.ts';
import type { Stop, StopKind } from '#core/run/stop.ts';
import type { Decision } from '#core/task/question.ts';

/** `final-report.json` (T-28). Times are ISO 8601, durations milliseconds; what is not known is null. */
export interface FinalReport {
  outcome: RunOutcome;
  run: Pick<RunListed, 'runId' | 'name' | 'project' | 'labels'>;
  stop: Stop | null;
  /** Why it does not move and what clears it, of a run that has not ended. */
  why: string | null;
  remedy: string | null;
  startedAt: string | null;
  endedAt: string | null;
  /** `activeMs` counts only work, `wholeMs` all until the end or the last event. */
  durations: { wholeMs: number; activeMs: number };
  spend: SpendReported;
  base: SnapshotRef | null;
  /** The last snapshot that counts. */
  snapshot: SnapshotRef | null;
  delivery: DeliveryDone | null;
  baseline: VerdictReported[];
  /** In plan order. */
  steps: StepReported[];
  /** Who decided what, in order. */
  decisions: DecisionReported[];
  /** Child runs, in the order in which they began. */
  children: ChildReported[];
}

export interface DecisionReported {
  at: string;
  step: string;
  pass: number;
  task: string;
  decision: Decision['kind'];
  by: string;
  comment: string;
  form: Record<string, unknown> | null;
  /** Where it was pushed back to, when it was not the default. */
  to: string | null;
  /** False: more people had to answer. */
  final: boolean;
}

export interface ChildReported {
  step: string;
  pass: number;
  index: number;
  runId: string;
  /** Null while it goes on. */
  stop: StopKind | null;
}

export interface SpendReported {
  usd: number | null;
  estimated: boolean;
  inputTokens: number;
  outputTokens: number;
}

export interface StepReported {
  step: string;
  name: string;
  outcome: 'succeeded' | 'failed' | 'skipped' | null;
  reason: string | null;
  /** How often its own loop fired. */
  loops: number;
  passes: PassReported[];
}

export interface PassReported {
  pass: number;
  startedAt: string;
  attempts: AttemptReported[];
  verdicts: VerdictReported[];
}

/** Texts by digest: `GET /v1/artifacts/{sha256}` has them. */
export interface AttemptReported {
  attempt: number;
  agent: string | null;
  end: AttemptResult['end'];
  exitCode: number | null;
  match: AttemptResult['match'] | null;
  durationMs: number;
  spend: SpendReported;
  output: Digest;
  snapshot: SnapshotRef | null;
  findings: string[];
}

export interface VerdictReported {
  step: string;
  check: string;
  verdict: Verdict['kind'];
  evidence: {
    summary: string;
    exitCode: number | null;
    commit: string | null;
    tree: string | null;
    /** Of the normalised findings. */
    digest: string | null;
    output: Digest | null;
    durationMs: number;
  };
  findings: string[];
}

export interface Digest {
  sha256: string;
  bytes: number;
}

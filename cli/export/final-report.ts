import type { RunListed, RunOutcome } from '#core/contract/http.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { AttemptResult, SnapshotRef, Spend } from '#core/run/attempt-result.ts';
import { apply } from '#core/run/apply.ts';
import type { DeliveryDone, RunEvent } from '#core/run/event.ts';
import { initialState, type RunState, stepOf } from '#core/run/state.ts';
import type { Stop } from '#core/run/stop.ts';

import { outcomeOf } from '#cli/render/outcome.ts';

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
}

interface SpendReported {
  usd: number | null;
  estimated: boolean;
  inputTokens: number;
  outputTokens: number;
}

interface StepReported {
  step: string;
  name: string;
  outcome: 'succeeded' | 'failed' | 'skipped' | null;
  reason: string | null;
  /** How often its own loop fired. */
  loops: number;
  passes: PassReported[];
}

interface PassReported {
  pass: number;
  startedAt: string;
  attempts: AttemptReported[];
  verdicts: VerdictReported[];
}

/** Texts by digest: `GET /v1/artifacts/{sha256}` has them. */
interface AttemptReported {
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

interface VerdictReported {
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

interface Digest {
  sha256: string;
  bytes: number;
}

/** What became of a run, with the evidence that its verdicts rest on. Pure. */
export function finalReport(run: RunListed, plan: Plan, events: readonly RunEvent[]): FinalReport {
  const { state, activeMs } = walk(plan, events);
  const { runId, name, project, labels, summary } = run;
  return {
    outcome: outcomeOf(run),
    run: { runId, name, project, labels },
    stop: state.stop,
    why: summary.why ?? null,
    remedy: summary.remedy ?? null,
    startedAt: state.startedAt === 0 ? null : isoOf(state.startedAt),
    endedAt: state.stop === null ? null : isoOf(state.now),
    durations: { wholeMs: state.now - state.startedAt, activeMs },
    spend: spendReported(state.spend),
    base: state.workspace.base,
    snapshot: state.workspace.snapshot,
    delivery: state.delivery.done,
    baseline: state.baseline.verdicts.map(({ step, check, verdict }) => verdictReported(step, check, verdict)),
    steps: plan.steps.map(({ id, name: title }) => stepReported({ id, name: title }, state, events)),
  };
}

/** A retry of the run begins its active time afresh (E8); what is told here is all of it. */
function walk(plan: Plan, events: readonly RunEvent[]): { state: RunState; activeMs: number } {
  let state = initialState(plan);
  let activeMs = 0;
  for (const event of events) {
    const next = apply(plan, state, event);
    activeMs += Math.max(0, next.activeMs - state.activeMs);
    state = next;
  }
  return { state, activeMs };
}

function stepReported(
  { id, name }: { id: string; name: string },
  state: RunState,
  events: readonly RunEvent[],
): StepReported {
  const { outcome, reason, loops } = stepOf(state, id);
  const passes = new Map<number, PassReported>();
  for (const event of events) {
    if (!('step' in event) || event.step !== id) continue;
    if (event.type === 'attempt.started' && !passes.has(event.pass)) {
      passes.set(event.pass, { pass: event.pass, startedAt: isoOf(event.at), attempts: [], verdicts: [] });
    }
    const pass = passes.get(event.pass);
    if (pass !== undefined) addTo(pass, event);
  }
  return { step: id, name, outcome, reason, loops, passes: [...passes.values()] };
}

/** Checks that are judged again (a tree that moved on, an error) replace their verdict: the last one counts. */
function addTo(pass: PassReported, event: RunEvent): void {
  if (event.type === 'attempt.finished') pass.attempts.push(attemptReported(event.attempt, event.result));
  if (event.type !== 'check.judged') return;
  const others = pass.verdicts.filter(({ check }) => check !== event.check);
  pass.verdicts = [...others, verdictReported(event.step, event.check, event.verdict)];
}

function attemptReported(attempt: number, result: AttemptResult): AttemptReported {
  return {
    attempt,
    agent: result.agent ?? null,
    end: result.end,
    exitCode: result.exitCode ?? null,
    match: result.match ?? null,
    durationMs: result.durationMs,
    spend: spendReported(result.spend),
    output: digestOf(result.output),
    snapshot: result.snapshot ?? null,
    findings: result.findings,
  };
}

function verdictReported(step: string, check: string, { kind, evidence, findings }: Verdict): VerdictReported {
  return {
    step,
    check,
    verdict: kind,
    evidence: {
      summary: evidence.summary,
      exitCode: evidence.exitCode ?? null,
      commit: evidence.commit ?? null,
      tree: evidence.tree ?? null,
      digest: evidence.digest ?? null,
      output: evidence.log === undefined ? null : digestOf(evidence.log),
      durationMs: evidence.durationMs,
    },
    findings,
  };
}

function spendReported({ usd, estimated, inputTokens, outputTokens }: Spend): SpendReported {
  return { usd: usd ?? null, estimated, inputTokens, outputTokens };
}

function digestOf({ sha256, bytes }: ArtifactRef): Digest {
  return { sha256, bytes };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

import type { RunListed } from '#core/contract/http.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { Verdict } from '#core/check/verdict.ts';
import { everyStep } from '#core/plan/handlers.ts';
import type { Plan } from '#core/plan/plan.ts';
import type { AttemptResult, Spend } from '#core/run/attempt-result.ts';
import { apply } from '#core/run/apply.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';
import { planNow } from '#core/run/plan-now.ts';
import { initialState, type RunState, stepOf } from '#core/run/state.ts';
import type { StopKind } from '#core/run/stop.ts';

import type {
  AttemptReported,
  ChildReported,
  DecisionReported,
  Digest,
  FinalReport,
  PassReported,
  SpendReported,
  StepReported,
  VerdictReported,
} from '#cli/export/report.ts';
import { outcomeOf } from '#cli/render/outcome.ts';

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
    decisions: events.flatMap((event) => (event.type === 'task.decided' ? [decisionReported(event)] : [])),
    children: childrenReported(events),
    steps: everyStep(planNow(plan, state)).map(({ id, name: title }) =>
      stepReported({ id, name: title }, state, events),
    ),
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
    if (!('pass' in event)) continue;
    if (begins.has(event.type) && !passes.has(event.pass)) {
      passes.set(event.pass, { pass: event.pass, startedAt: isoOf(event.at), attempts: [], verdicts: [] });
    }
    const pass = passes.get(event.pass);
    if (pass !== undefined) addTo(pass, event);
  }
  return { step: id, name, outcome, reason, loops, passes: [...passes.values()] };
}

/** Agents and commands begin by an attempt, people by a question, calls by what they are made for. */
const begins: ReadonlySet<RunEvent['type']> = new Set(['attempt.started', 'task.opened', 'call.begun']);

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

function decisionReported({ at, step, pass, task, decision, final }: RunEventOf<'task.decided'>): DecisionReported {
  const { kind, by, comment, form, to } = decision;
  return {
    at: isoOf(at),
    step,
    pass,
    task,
    decision: kind,
    by,
    comment,
    form: form ?? null,
    to: to ?? null,
    final,
  };
}

function childrenReported(events: readonly RunEvent[]): ChildReported[] {
  const stops = new Map<string, StopKind>();
  for (const event of events) if (event.type === 'child.settled') stops.set(event.runId, event.stop);
  return events.flatMap((event) => {
    if (event.type !== 'child.started') return [];
    const { step, pass, index, runId } = event;
    return [{ step, pass, index, runId, stop: stops.get(runId) ?? null }];
  });
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

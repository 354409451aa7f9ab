import { resolve } from 'node:path';
import { fewFindings } from '#core/check/few-findings.ts';
import { reviewBrief } from '#core/check/review-brief.ts';
import { verdictOfReview } from '#core/check/review-verdict.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { ReviewInput, ReviewResult } from '#core/contract/activities.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import { Fault, type FaultCode } from '#core/contract/fault.ts';
import type { AttemptEnd } from '#core/run/attempt-result.ts';
import { excerpt } from '#core/text/excerpt.ts';
import { oneLine } from '#core/text/quote.ts';
import { endOf } from '#activities/attempt/agent-end.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { chooseReviewer } from '#activities/review/choose-reviewer.ts';
import { type Conducted, conduct } from '#activities/review/conduct.ts';
import { factsOf } from '#activities/review/review-facts.ts';
import { createReviewMeter, reviewKey, type ReviewMeter } from '#activities/review/review-meter.ts';
import { type Asked, openReviewer } from '#activities/review/reviewer.ts';
import { asTask, cancelled, type Task } from '#activities/task.ts';
import { digestOf, putText } from '#activities/texts.ts';
import { readerOf } from '#activities/workspace/places.ts';
import { checkoutSnapshot } from '#infra/git/checkout.ts';
import { treeState } from '#infra/git/rollback.ts';
import { closeWorktree } from '#infra/git/worktree.ts';
import { smallExcerpt } from '#infra/process/output-log.ts';

/**
 * One review (B5): an agent in a session of its own reads the pinned snapshot, read-only, and judges it by the criterion.
 * Its verdict is stored before it is returned, and taken up after a crash (decision 4). What keeps the agent from a verdict
 * is an `error` with the reason, so that the law asks again (B1).
 */
export function review(deps: HostDeps, input: ReviewInput): Promise<ReviewResult> {
  return asTask(deps, `${input.runId}/${input.step}#${input.pass}.review${input.round}`, async (task) => {
    const key = reviewKey(input);
    const fallen = (await persist(() => deps.verdicts.ofRound(input), task.signal)).get(input.check.name);
    const before = (await persist(() => deps.attempts.find(key), task.signal))?.spend ?? nothing;
    if (fallen !== undefined) return resultOf(input, fallen, before);
    const meter = createReviewMeter(deps, key, task, before);
    await deps.artifacts.requireSpace();
    const verdict = await judge(deps, input, { meter, task }).catch(agentFault(input));
    if (verdict === 'cancelled') return resultOf(input, errorOf(input, 'the review was cancelled'), meter.spend());
    const kept = await persist(() => deps.verdicts.put(input, input.check.name, verdict), task.signal);
    return resultOf(input, kept, meter.spend());
  });
}

const nothing = { estimated: false, inputTokens: 0, outputTokens: 0 };

function resultOf({ check }: ReviewInput, verdict: Verdict, spend: ReviewResult['spend']): ReviewResult {
  const { kind, evidence } = verdict;
  return { verdict, fingerprint: digestOf(JSON.stringify([check.name, kind, evidence.digest ?? ''])), spend };
}

/** What keeps the reviewer from starting here; the work is not blamed for it, and a person can mend it (B10). */
const agentFaults: ReadonlySet<FaultCode> = new Set([
  'agent/not-found',
  'agent/not-authenticated',
  'agent/bad-request',
  'agent/prompt-too-large',
]);

function agentFault(input: ReviewInput): (error: unknown) => Verdict {
  return (error) => {
    if (error instanceof Fault && agentFaults.has(error.code)) return errorOf(input, error.message);
    throw error;
  };
}

const mostCharacters = 500;

function errorOf({ snapshot }: ReviewInput, reason: string): Verdict {
  const summary = oneLine(reason, mostCharacters);
  const evidence = { summary, ...judgedOn(snapshot), digest: digestOf(summary), durationMs: 0 };
  return { kind: 'error', evidence, findings: [] };
}

function judgedOn(snapshot: ReviewInput['snapshot']): { commit?: string; tree?: string } {
  return snapshot === undefined ? {} : { commit: snapshot.commit, tree: snapshot.tree };
}

interface Judging {
  meter: ReviewMeter;
  task: Task;
}

async function judge(deps: HostDeps, input: ReviewInput, { meter, task }: Judging): Promise<Verdict | 'cancelled'> {
  const started = performance.now();
  const { chosen, note } = await chooseReviewer(input.check.agent, input.implementer, deps);
  const brief = reviewBrief(await factsOf(deps, input, task.signal));
  const place = await checkout(deps, input);
  try {
    const reviewer = await openReviewer(deps, { input, path: place.path, chosen, meter, task });
    const conducted = await conduct(reviewer, brief);
    if (conducted.asked.at(-1)?.outcome.kind === 'cancelled') {
      if (task.stopping()) throw cancelled(task);
      return 'cancelled';
    }
    const notes = [...(note === undefined ? [] : [note]), ...(await place.changes())];
    const durationMs = Math.round(performance.now() - started);
    return await verdictOf(deps, input, { conducted, notes, durationMs, remedy: reviewer.signIn });
  } finally {
    await place.leave();
  }
}

interface Checkout {
  path: string;
  /** What the reviewer changed although it may not: possible only without a sandbox (B12). */
  changes(): Promise<string[]>;
  leave(): Promise<void>;
}

/** A checkout of the snapshot that is the reviewer's alone (decision 14); without snapshots the folder as it is (F4). */
async function checkout(deps: HostDeps, { runId, step, check, workspace, snapshot }: ReviewInput): Promise<Checkout> {
  if (snapshot === undefined) {
    return { path: workspace.path, changes: async () => [], leave: async () => undefined };
  }
  const path = readerOf(deps.home, { runId, step, check: check.name });
  await checkoutSnapshot({ repo: resolve(workspace.plan.repo), commit: snapshot.commit, path, runId });
  return {
    path,
    async changes() {
      const { count } = await treeState(path);
      return count === 0 ? [] : [`check_mutated_tree: it changed ${count} path(s) of its own checkout`];
    },
    leave: async () => void (await closeWorktree({ path, work: 'drop' })),
  };
}

interface Ended {
  conducted: Conducted;
  notes: string[];
  durationMs: number;
  remedy: string;
}

const mostNotes = 20;

async function verdictOf(deps: HostDeps, input: ReviewInput, ended: Ended): Promise<Verdict> {
  const { asked, read } = ended.conducted;
  const last = asked.at(-1);
  const log = await wholeLog(deps, asked);
  const notes = [...ended.notes, ...asked.flatMap(({ findings }) => findings)].slice(0, mostNotes);
  const common = { ...(log === undefined ? {} : { log }), ...judgedOn(input.snapshot), durationMs: ended.durationMs };
  if (read === undefined) {
    const reason = last === undefined ? 'it was not asked' : reasonOf(last, input, ended.remedy);
    const error = errorOf(input, reason);
    return { ...error, evidence: { ...error.evidence, ...common }, findings: notes };
  }
  const { kind, summary, feedback, advisories, normalised } = verdictOfReview(read);
  const evidence = {
    summary,
    ...common,
    ...(feedback === ''
      ? {}
      : { feedback: await putText(deps.artifacts, excerpt(feedback, input.scope.feedbackChars), []) }),
    digest: digestOf(normalised),
  };
  return {
    kind,
    evidence,
    findings: fewFindings([...notes, ...advisories.map((advisory) => `advisory: ${advisory}`)]),
  };
}

/** Why the agent gave no answer. */
function reasonOf({ outcome }: Asked, { check }: ReviewInput, remedy: string): string {
  const end = endOf(outcome, {
    now: Date.now(),
    timeSeconds: check.timeSeconds,
    quietSeconds: check.agent.quietSeconds,
    remedy,
  });
  return `the reviewer gave no answer: ${toldEnd(end)}`;
}

function toldEnd(end: AttemptEnd): string {
  switch (end.kind) {
    case 'timed_out':
      return `it ran into its time limit of ${end.afterSeconds} s`;
    case 'refused':
      return `${end.reason} ${end.remedy}`;
    case 'failed':
    case 'crashed':
    case 'overload':
    case 'quota':
      return end.reason;
    case 'ok':
    case 'cancelled':
      return end.kind;
  }
}

/** The streams of all questions, one after the other. */
async function wholeLog({ artifacts }: HostDeps, asked: readonly Asked[]): Promise<ArtifactRef | undefined> {
  const [first, ...others] = asked.map(({ log }) => log);
  if (first === undefined || others.length === 0) return first;
  const writer = artifacts.openArtifact();
  for (const { sha256 } of [first, ...others]) {
    for await (const part of await artifacts.read(sha256)) writer.write(part as Buffer);
  }
  const { sha256, bytes } = await writer.finish();
  return { sha256, bytes, excerpt: smallExcerpt([first, ...others].map(({ excerpt }) => excerpt).join('\n')) };
}

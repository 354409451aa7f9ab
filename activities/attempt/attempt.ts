import { fewFindings } from '#core/check/few-findings.ts';
import type { AttemptInput } from '#core/contract/activities.ts';
import { Fault } from '#core/contract/fault.ts';
import { workKeyText } from '#core/contract/work-key.ts';
import { present } from '#core/definition/present.ts';
import type { AttemptResult, MatchOutcome, SnapshotRef } from '#core/run/attempt-result.ts';
import { findWeakenedTests } from '#activities/attempt/find-weakened-tests.ts';
import { keptArtifacts } from '#activities/attempt/kept-artifacts.ts';
import { layOutputs } from '#activities/attempt/lay-outputs.ts';
import { matchAny, matchText } from '#activities/attempt/match-text.ts';
import { type Place, prepare } from '#activities/attempt/prepare.ts';
import { Ran } from '#activities/attempt/ran.ts';
import { removeReports, withReports } from '#activities/attempt/reports.ts';
import { runAgent } from '#activities/attempt/run-agent.ts';
import { runCommand } from '#activities/attempt/run-command.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { heardText } from '#activities/heard.ts';
import { persist } from '#activities/persist.ts';
import { asTask, type Task } from '#activities/task.ts';
import { snapshot } from '#infra/git/snapshot.ts';

/**
 * One attempt: render, run, snapshot, match (docs/architecture.md). Each stage is stored under the WorkKey before the next
 * begins, so that a crash between them never pays for the process twice (decision 4).
 */
export function attempt(deps: HostDeps, input: AttemptInput): Promise<AttemptResult> {
  return asTask(deps, workKeyText(input.key), async (task) => {
    const stored = input.resume ? await persist(() => deps.attempts.find(input.key), task.signal) : undefined;
    if (stored?.result != null) return stored.result;
    const result = stored?.stage === 'ran' ? await conclude(deps, input, Ran.parse(stored.ran), task) : undefined;
    return result ?? run(deps, input, task);
  });
}

async function run(deps: HostDeps, input: AttemptInput, task: Task): Promise<AttemptResult> {
  await deps.artifacts.requireSpace();
  const place = await prepare(deps, input, task);
  try {
    const perform = input.step.work.kind === 'agent' ? runAgent : runCommand;
    await removeReports(place.path, input.reportFiles);
    const performed = withNotes(await perform(deps, input, place, task), place);
    const ran = await withReports(deps, input, { ran: performed, place, task });
    // What was cancelled is not built upon: only its spend counts.
    if (ran.end.kind === 'cancelled') return { ...withoutStages(ran), fingerprint: '' };
    if (hasLaterStages(input)) await persist(() => deps.attempts.putRan(input.key, deps.hostId, ran), task.signal);
    return await conclude(deps, input, ran, task);
  } finally {
    await place.leave();
  }
}

function withNotes(ran: Ran, { notes }: Place): Ran {
  return notes.length === 0 ? ran : { ...ran, findings: [...notes, ...ran.findings] };
}

/** Without a snapshot, a pattern and a folder of artifacts the process is the last stage: its result is stored at once. */
function hasLaterStages({ step, workspace }: AttemptInput): boolean {
  const isMatched = step.match !== undefined || step.continueOn?.matches !== undefined;
  return (workspace.base !== undefined && !step.readOnly) || workspace.artifacts !== undefined || isMatched;
}

async function conclude(deps: HostDeps, input: AttemptInput, ran: Ran, task: Task): Promise<AttemptResult> {
  await layOutputs(deps, input, ran);
  const taken = await takeSnapshot(deps, input).catch(workspaceGone);
  if (taken === 'gone') return lose(deps, input, ran, task);
  const folder = await keptArtifacts(deps, input, task);
  const match = ran.end.kind === 'ok' ? await matchOutput(deps, input, ran) : undefined;
  const goesOn = await matchContinueOn(deps, input, ran);
  const failed = ran.end.kind !== 'ok' || (match !== undefined && match.kind !== 'pass');
  const { feedback } = ran;
  const result: AttemptResult = {
    ...withoutStages(ran),
    ...(failed && feedback !== undefined ? { feedback } : {}),
    ...present({ match, goesOn }),
    ...(taken === undefined ? {} : { snapshot: taken.snapshot }),
    ...folder.result,
    fingerprint: fingerprintOf(ran, taken?.snapshot),
    findings: fewFindings([...ran.findings, ...(taken?.findings ?? []), ...folder.findings]),
  };
  await persist(() => deps.attempts.putResult(input.key, deps.hostId, result), task.signal);
  return result;
}

function fingerprintOf({ digest = '' }: Ran, snapshotted: SnapshotRef | undefined): string {
  const tree = snapshotted === undefined ? '' : `${snapshotted.tree}:${snapshotted.head}`;
  return `${tree}|${digest}`;
}

function withoutStages({ digest: _digest, feedback: _feedback, streams: _streams, ...kept }: Ran) {
  return { ...kept, findings: fewFindings(kept.findings) };
}

interface Taken {
  snapshot: SnapshotRef;
  findings: string[];
}

/** F2: after every attempt of a writer, a dirty exit included (A4). */
async function takeSnapshot(deps: HostDeps, input: AttemptInput): Promise<Taken | undefined> {
  const { workspace, step, key } = input;
  if (step.readOnly) return undefined;
  // Here, too, where a stored stage is taken up: the crash may have come before they were removed.
  await removeReports(workspace.path, input.reportFiles);
  if (workspace.base === undefined) return undefined;
  const refs = deps.sandbox.kind === 'none' ? 'watched' : 'read-only';
  const taken = await snapshot({ ...key, worktree: workspace.path, keep: workspace.plan.keep, refs });
  return {
    snapshot: { commit: taken.commit, tree: taken.tree, head: taken.fingerprint.head },
    findings: [
      ...taken.findings.map(({ kind, detail }) => `${kind}: ${detail}`),
      ...(await findWeakenedTests(input, taken.commit)),
    ],
  };
}

function workspaceGone(error: unknown): 'gone' {
  if (error instanceof Fault && error.code === 'workspace/missing') return 'gone';
  throw error;
}

/** Its work was deleted before a snapshot held it: no later stage can be had, so it counts as crashed (E5, F1). */
async function lose(deps: HostDeps, input: AttemptInput, ran: Ran, task: Task): Promise<AttemptResult> {
  const reason = `Somebody deleted the workspace ${input.workspace.path} before its work was kept.`;
  const result: AttemptResult = { ...withoutStages(ran), end: { kind: 'crashed', reason }, fingerprint: '' };
  await persist(() => deps.attempts.putResult(input.key, deps.hostId, result), task.signal);
  return result;
}

async function matchOutput(deps: HostDeps, input: AttemptInput, ran: Ran): Promise<MatchOutcome | undefined> {
  const { match } = input.step;
  if (match === undefined) return undefined;
  return matchText(match, await heard(deps, input, ran));
}

/** D-14: judged whatever the exit, since it is asked once the step has failed. */
async function matchContinueOn(deps: HostDeps, input: AttemptInput, ran: Ran): Promise<MatchOutcome | undefined> {
  const { matches = [], caseSensitive } = input.step.continueOn ?? {};
  return matches.length === 0 ? undefined : matchAny(matches, await heard(deps, input, ran), { caseSensitive });
}

function heard(deps: HostDeps, { step }: AttemptInput, ran: Ran): Promise<string> {
  const agent = step.work.kind === 'agent' ? { echoed: ran.echoed } : undefined;
  return heardText(deps.artifacts, ran.output, agent);
}

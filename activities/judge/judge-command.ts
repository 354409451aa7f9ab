import { resolve } from 'node:path';
import type { CheckPlan } from '#core/check/check-plan.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { PathChange } from '#core/workspace/snapshot.ts';
import type { JudgeInput } from '#core/contract/activities.ts';
import { normaliseForFingerprint } from '#core/text/fingerprint.ts';
import { renderedCommand } from '#activities/attempt/render.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { runShell, type ShellDone } from '#activities/shell.ts';
import type { Task } from '#activities/task.ts';
import { digestOf, putText } from '#activities/texts.ts';
import { readerOf } from '#activities/workspace/places.ts';
import { checkoutSnapshot } from '#infra/git/checkout.ts';
import { rollback, treeState } from '#infra/git/rollback.ts';
import { closeWorktree } from '#infra/git/worktree.ts';
import { reasonItCouldNotRun } from '#infra/process/contained-spec.ts';

type CommandCheck = Extract<CheckPlan, { kind: 'command' }>;

/**
 * A command check: its exit code decides (B1). It runs in the workspace, where what it changes is rolled back and
 * reported (B12), or in a clean checkout with its own set-up (`where: commit`). What could not run is an `error` (B10).
 */
export function judgeCommand(deps: HostDeps, input: JudgeInput, check: CommandCheck, task: Task): Promise<Verdict> {
  const where = input.snapshot === undefined ? 'workspace' : check.where;
  return where === 'workspace' ? inWorkspace(deps, input, check, task) : inCheckout(deps, input, check, task);
}

async function inWorkspace(deps: HostDeps, input: JudgeInput, check: CommandCheck, task: Task): Promise<Verdict> {
  const { path } = input.workspace;
  const verdict = await run(deps, input, check, { task, cwd: path });
  if (input.snapshot === undefined) return verdict;
  const { count } = await treeState(path);
  if (count === 0) return verdict;
  const { undone } = await rollback({ worktree: path, to: input.snapshot.commit });
  return mutated(verdict, { count, changed: undone }, ', which were put back');
}

/** The verdict stands; that its check wrote where it should only look is told beside it. */
function mutated(
  verdict: Verdict,
  { count, changed }: { count: number; changed: PathChange[] },
  then: string,
): Verdict {
  const shown = changed.slice(0, 5).map(({ path }) => path);
  const finding = `check_mutated_tree: it changed ${count} path(s)${then}: ${shown.join(', ')}`;
  return { ...verdict, findings: [...verdict.findings, finding] };
}

async function inCheckout(deps: HostDeps, input: JudgeInput, check: CommandCheck, task: Task): Promise<Verdict> {
  const { runId, snapshot, workspace } = input;
  if (snapshot === undefined) throw new TypeError('a check on a commit needs a snapshot');
  const path = readerOf(deps.home, { runId, step: input.step, check: check.name });
  await checkoutSnapshot({ repo: resolve(workspace.plan.repo), commit: snapshot.commit, path, runId });
  try {
    const broken = await setUp(deps, input, { task, cwd: path });
    if (broken !== undefined) return broken;
    const { fingerprint: before } = await treeState(path);
    const verdict = await run(deps, input, check, { task, cwd: path });
    const after = await treeState(path);
    if (after.fingerprint.tree === before.tree) return verdict;
    return mutated(verdict, after, ' of its own checkout');
  } finally {
    await closeWorktree({ path, work: 'drop' });
  }
}

interface Where {
  task: Task;
  cwd: string;
}

const setupSeconds = 1800;

/** B10: a set-up that fails is the check's error, never the work's failure. */
async function setUp(deps: HostDeps, input: JudgeInput, where: Where): Promise<Verdict | undefined> {
  const { setup } = input.workspace.plan;
  if (setup === undefined) return undefined;
  const done = await shell(deps, input, { ...where, name: '@setup', command: setup, timeSeconds: setupSeconds });
  if (done.result.ended === 'exit' && done.result.exitCode === 0) return undefined;
  return verdictOf(deps, input, done, { kind: 'error', summary: `its set-up \`${setup}\` failed` });
}

async function run(deps: HostDeps, input: JudgeInput, check: CommandCheck, where: Where): Promise<Verdict> {
  const command = await renderedCommand(deps, check.command, input.scope);
  const done = await shell(deps, input, { ...where, name: check.name, command, timeSeconds: check.timeSeconds });
  return verdictOf(deps, input, done, outcomeOf(done, check));
}

interface Running extends Where {
  name: string;
  command: string;
  timeSeconds: number;
}

function shell(deps: HostDeps, input: JudgeInput, running: Running): Promise<ShellDone> {
  const { runId, step, pass, round, env } = input;
  return runShell(deps, {
    command: running.command,
    cwd: running.cwd,
    runId,
    output: { runId, step, pass, attempt: round, check: running.name },
    access: 'write',
    env,
    secrets: [],
    timeoutSeconds: running.timeSeconds,
    task: running.task,
  });
}

interface Judged {
  kind: Verdict['kind'];
  summary: string;
}

function outcomeOf({ result }: ShellDone, check: CommandCheck): Judged {
  const broken = reasonItCouldNotRun(result);
  if (broken !== undefined && result.exitCode !== check.expectExit) {
    return { kind: 'error', summary: `it could not run (${broken.replaceAll('_', ' ')})` };
  }
  if (result.ended === 'timeout' || result.ended === 'quiet') {
    const waited = result.waitedForInput ? '; it waited for someone to type' : '';
    return { kind: 'fail', summary: `it ran into its time limit of ${check.timeSeconds} s${waited}` };
  }
  const code = `exit ${result.exitCode ?? 'none'}`;
  if (result.exitCode === check.expectExit) return { kind: 'pass', summary: code };
  return { kind: 'fail', summary: check.expectExit === 0 ? code : `${code}, expected ${check.expectExit}` };
}

async function verdictOf(deps: HostDeps, input: JudgeInput, done: ShellDone, judged: Judged): Promise<Verdict> {
  const { result, texts } = done;
  const passed = judged.kind === 'pass';
  return {
    kind: judged.kind,
    evidence: {
      summary: judged.summary,
      ...(result.exitCode === null ? {} : { exitCode: result.exitCode }),
      log: texts.artifact,
      ...(passed ? {} : { feedback: await putText(deps.artifacts, texts.excerpt.text, []) }),
      ...(input.snapshot === undefined ? {} : { commit: input.snapshot.commit, tree: input.snapshot.tree }),
      digest: digestOf(`${result.exitCode}\n${normaliseForFingerprint(texts.tail.combined)}`),
      durationMs: Math.round(result.durationMs),
    },
    findings: result.leftovers.map(({ pid, command }) => `leftover: process ${pid} (${command}) was killed`),
  };
}

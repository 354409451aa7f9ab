import { resolve } from 'node:path';
import type { CheckPlan } from '#core/check/check-plan.ts';
import { failingTests, type TestReport } from '#core/check/test-report.ts';
import type { TestCount, Verdict } from '#core/check/verdict.ts';
import type { PathChange } from '#core/workspace/snapshot.ts';
import type { JudgeInput } from '#core/contract/activities.ts';
import { present } from '#core/definition/present.ts';
import { normaliseForFingerprint } from '#core/text/fingerprint.ts';
import { renderedCommand } from '#activities/attempt/render.ts';
import { lackOf, stampsOf, testsOf } from '#activities/judge/command-evidence.ts';
import { lend, type Provided } from '#activities/judge/lend.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { runShell, type ShellDone } from '#activities/shell.ts';
import { surroundingsOf } from '#activities/surroundings.ts';
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
    const ready = await makeReady(deps, input, check, { task, cwd: path });
    if (ready.kind === 'broken') return ready.verdict;
    const { fingerprint: before } = await treeState(path);
    const verdict = await run(deps, input, check, { task, cwd: path, provided: ready.provided });
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
  provided?: readonly Provided[];
}

type Ready = { kind: 'ready'; provided: readonly Provided[] } | { kind: 'broken'; verdict: Verdict };

/** B3: what a clean checkout lacks is lent by the workspace, or made by the set-up. Where neither works, B10. */
async function makeReady(deps: HostDeps, input: JudgeInput, check: CommandCheck, where: Where): Promise<Ready> {
  const started = performance.now();
  if (check.provide === undefined) {
    const broken = await setUp(deps, input, where);
    return broken === undefined ? { kind: 'ready', provided: [] } : { kind: 'broken', verdict: broken };
  }
  const from = [input.workspace.path, resolve(input.workspace.plan.repo)];
  const lent = await lend({ from, to: where.cwd, paths: check.provide, mounts: deps.sandbox.kind !== 'none' });
  if (lent.kind === 'lent') return { kind: 'ready', provided: lent.provided };
  const durationMs = Math.round(performance.now() - started);
  const evidence = { summary: lent.reason, digest: digestOf(lent.reason), durationMs };
  return { kind: 'broken', verdict: { kind: 'error', evidence, findings: [] } };
}

const setupSeconds = 1800;

/** B10: a set-up that fails is the check's error, never the work's failure. */
async function setUp(deps: HostDeps, input: JudgeInput, where: Where): Promise<Verdict | undefined> {
  const { setup } = input.workspace.plan;
  if (setup === undefined) return undefined;
  const done = await shell(deps, input, { ...where, name: '@setup', command: setup, timeSeconds: setupSeconds });
  if (done.result.ended === 'exit' && done.result.exitCode === 0) return undefined;
  return verdictOf(deps, input, done, { kind: 'error', summary: `its set-up \`${setup}\` failed`, cwd: where.cwd });
}

async function run(deps: HostDeps, input: JudgeInput, check: CommandCheck, where: Where): Promise<Verdict> {
  const command = await renderedCommand(deps, check.command, input.scope);
  const { evidence } = check;
  const before = await stampsOf(where.cwd, evidence);
  const done = await shell(deps, input, { ...where, name: check.name, command, timeSeconds: check.timeSeconds });
  const judged = outcomeOf(done, check);
  // Without asked-for evidence a pass needs none; of a failure the names of the tests tell what is new (B11).
  const isTold = judged.kind === 'fail' || (judged.kind === 'pass' && evidence !== undefined);
  const told = { root: where.cwd, evidence, before, output: done.texts.artifact };
  const tests = isTold ? await testsOf(deps, told) : undefined;
  return verdictOf(deps, input, done, { ...withEvidence(judged, check, tests), ...present({ tests }), cwd: where.cwd });
}

/** B9: a command that says pass, without the evidence that it is to have, is `missing`. */
function withEvidence(judged: Judged, { evidence }: CommandCheck, tests: TestReport | undefined): Judged {
  const lack = judged.kind === 'pass' ? lackOf(evidence, tests) : undefined;
  if (lack !== undefined) return { kind: 'missing', summary: `${judged.summary}, but ${lack}` };
  if (tests === undefined || evidence === undefined) return judged;
  const failed = tests.failed === 0 ? '' : `, ${tests.failed} failed`;
  return { ...judged, summary: `${judged.summary}, ${tests.ran} test(s) ran${failed}` };
}

interface Running extends Where {
  name: string;
  command: string;
  timeSeconds: number;
}

async function shell(deps: HostDeps, input: JudgeInput, running: Running): Promise<ShellDone> {
  const { runId, step, pass, round } = input;
  const { env, writable } = await surroundingsOf(deps, input);
  return runShell(deps, {
    command: running.command,
    cwd: running.cwd,
    runId,
    output: { runId, step, pass, attempt: round, check: running.name },
    access: 'write',
    env,
    writable,
    secrets: [],
    ...present({ provided: running.provided }),
    excerptCharacters: input.scope.feedbackChars,
    timeoutSeconds: running.timeSeconds,
    task: running.task,
  });
}

interface Judged {
  kind: Verdict['kind'];
  summary: string;
}

interface ToldJudged extends Judged {
  tests?: TestReport;
  /** Where it ran: its own path is no part of what was found. */
  cwd: string;
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

async function verdictOf(deps: HostDeps, input: JudgeInput, done: ShellDone, judged: ToldJudged): Promise<Verdict> {
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
      ...present({ tests: countOf(judged.tests), failing: judged.tests && failingTests(judged.tests) }),
      digest: digestOf(
        `${result.exitCode}\n${normaliseForFingerprint(texts.tail.combined.replaceAll(judged.cwd, '.'))}`,
      ),
      durationMs: Math.round(result.durationMs),
    },
    findings: [
      ...result.leftovers.map(({ pid, command }) => `leftover: process ${pid} (${command}) was killed`),
      ...(passed && (judged.tests?.failed ?? 0) > 0 ? [`tests_failed: ${judged.summary}`] : []),
    ],
  };
}

function countOf(tests: TestReport | undefined): TestCount | undefined {
  return tests === undefined ? undefined : { ran: tests.ran, failed: tests.failed, skipped: tests.skipped };
}

import type { Condition, ConditionFound, ConditionOutcome } from '#core/check/condition.ts';
import { compare, comparedText, type CommandGave } from '#core/check/compare.ts';
import type { EvaluateInput } from '#core/contract/activities.ts';
import { renderedCommand } from '#activities/attempt/render.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { runShell, type ShellDone } from '#activities/shell.ts';
import { stepSurroundingsOf } from '#activities/surroundings.ts';
import { asTask, type Task } from '#activities/task.ts';
import { putText } from '#activities/texts.ts';
import { matchPattern } from '#infra/process/match-worker.ts';
import { oneLine } from '#core/text/quote.ts';
import { head } from '#core/text/tail.ts';
import { reasonItCouldNotRun } from '#infra/process/contained-spec.ts';
import { setBack } from '#activities/workspace/set-back.ts';
import { rollback, treeState } from '#infra/git/rollback.ts';

/**
 * The conditions of a step in the run's workspace (A7, A8): met when each of them is, else what the first other one is;
 * error when its command could not run to its end.
 */
export function evaluate(deps: HostDeps, input: EvaluateInput): Promise<ConditionOutcome> {
  const name = `${input.runId}/${input.step}#${input.pass}.${input.purpose}`;
  return asTask(deps, name, async (task) => {
    const { workspace, runId } = input;
    // The try before may have found that the workspace was deleted.
    if (input.snapshot !== undefined && (input.restore || task.tries > 1)) {
      await setBack(deps, { runId, workspace, to: input.snapshot.commit }, task);
    }
    let outcome = await judged(deps, input, input.condition, task);
    for (const condition of input.and ?? []) {
      if (outcome.kind !== 'met') return outcome;
      outcome = await judged(deps, input, condition, task);
    }
    return outcome;
  });
}

async function judged(
  deps: HostDeps,
  input: EvaluateInput,
  condition: Condition,
  task: Task,
): Promise<ConditionOutcome> {
  const { workspace, runId, step, pass, scope, env = {}, secrets = [], directory } = input;
  const around = await stepSurroundingsOf(deps, { env, scope, workspace, root: workspace.path, directory });
  if (around.kind === 'impossible') return notStarted(deps, input, condition, around.reason);
  const done = await runShell(deps, {
    command: await renderedCommand(deps, condition.command, scope),
    cwd: workspace.path,
    startsAt: around.cwd,
    writable: around.writable,
    runId,
    output: { runId, step, pass, attempt: 0, check: `@${input.purpose}` },
    access: 'write',
    env: { ...around.fromFiles, ...around.env },
    secrets,
    timeoutSeconds: condition.timeSeconds,
    task,
  });
  if (workspace.plan.worktree) await putBack(workspace.path, input);
  const outcome = await outcomeOf(condition, done);
  return input.tell === true ? { ...outcome, found: await foundBy(deps, condition, done, outcome) } : outcome;
}

/** Characters of it in the record of each pass: the plan has the whole. */
const mostExpected = 2_000;

/** C-13: its cause reaches the words of the next pass, as that of any other error. */
// oxlint-disable-next-line max-params
async function notStarted(
  deps: HostDeps,
  { tell }: EvaluateInput,
  { returns, compare: compareSource }: Condition,
  reason: string,
): Promise<ConditionOutcome> {
  if (tell !== true) return { kind: 'error', reason };
  const [stdout, stderr] = await Promise.all([stored(deps, ''), stored(deps, reason)]);
  const expected = head(returns, mostExpected);
  return { kind: 'error', reason, found: { stdout, stderr, actual: '', expected, compareSource } };
}

/** Enough of a command to know it by. */
const mostOfCommand = 80;

async function outcomeOf(condition: Condition, { result, texts }: ShellDone): Promise<ConditionOutcome> {
  const broken = reasonItCouldNotRun(result);
  if (broken !== undefined) {
    const command = oneLine(condition.command, mostOfCommand);
    return { kind: 'error', reason: `\`${command}\` could not run (${broken.replaceAll('_', ' ')})` };
  }
  if (result.exitCode === null || result.ended !== 'exit') {
    return { kind: 'error', reason: `it did not end within ${condition.timeSeconds} s` };
  }
  const { stdout, stderr } = texts.tail;
  const gave = { exitCode: result.exitCode, stdout, stderr };
  return condition.by === 'pattern' ? byPattern(condition, gave) : compare(condition, gave);
}

/** D-16: a pattern that could not be judged is an error, negated or not. */
async function byPattern(condition: Condition, gave: CommandGave): Promise<ConditionOutcome> {
  const { caseSensitive } = condition;
  const outcome = await matchPattern(condition.returns, comparedText(condition, gave), { caseSensitive });
  if (outcome === 'match' || outcome === 'no_match') return compare(condition, gave, outcome === 'match');
  const why = outcome === 'timeout' ? 'took too long on what it read' : 'is no valid regular expression';
  return { kind: 'error', reason: `the pattern /${condition.returns}/ ${why}` };
}

/** C-12, C-13. The texts are redacted already. */
// One outcome with all that it rests on.
// oxlint-disable-next-line max-params
async function foundBy(
  deps: HostDeps,
  condition: Condition,
  { result, texts }: ShellDone,
  outcome: ConditionOutcome,
): Promise<ConditionFound> {
  const { stdout, stderr } = texts.tail;
  const cause = outcome.kind === 'error' ? [stderr.trimEnd(), outcome.reason].filter((text) => text !== '') : [stderr];
  const [out, err] = await Promise.all([stored(deps, stdout), stored(deps, cause.join('\n'))]);
  return {
    stdout: out,
    stderr: err,
    // What is ended from outside may still exit with a code, which is the signal's and says nothing of the script.
    ...(result.exitCode === null || result.ended !== 'exit' ? {} : { exitCode: result.exitCode }),
    actual: outcome.kind === 'error' ? '' : outcome.actual,
    expected: head(condition.returns, mostExpected),
    compareSource: condition.compare,
  };
}

/** A run's state holds it: the text itself stays in the store. */
async function stored(deps: HostDeps, text: string): Promise<ConditionFound['stdout']> {
  return { ...(await putText(deps.artifacts, text, [])), excerpt: '' };
}

/** B12 holds for conditions too: what asks does not change. */
async function putBack(path: string, input: EvaluateInput): Promise<void> {
  if (input.snapshot === undefined || (await treeState(path)).count === 0) return;
  await rollback({ worktree: path, to: input.snapshot.commit });
}

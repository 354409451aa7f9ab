import type { ConditionOutcome } from '#core/check/condition.ts';
import { compare } from '#core/check/compare.ts';
import type { EvaluateInput } from '#core/contract/activities.ts';
import { renderedCommand } from '#activities/attempt/render.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { runShell } from '#activities/shell.ts';
import { asTask } from '#activities/task.ts';
import { reasonItCouldNotRun } from '#infra/process/contained-spec.ts';
import { setBack } from '#activities/workspace/set-back.ts';
import { rollback, treeState } from '#infra/git/rollback.ts';

/** A condition in the run's workspace (A7, A8): met, unmet, or error when its command could not run to its end. */
export function evaluate(deps: HostDeps, input: EvaluateInput): Promise<ConditionOutcome> {
  const name = `${input.runId}/${input.step}#${input.pass}.${input.purpose}`;
  return asTask(deps, name, async (task) => {
    const { condition, workspace, runId, step, pass } = input;
    // The try before may have found that the workspace was deleted.
    if (input.snapshot !== undefined && (input.restore || task.tries > 1)) {
      await setBack(deps, { runId, workspace, to: input.snapshot.commit }, task);
    }
    const command = await renderedCommand(deps, condition.command, input.scope);
    const { result, texts } = await runShell(deps, {
      command,
      cwd: workspace.path,
      runId,
      output: { runId, step, pass, attempt: 0, check: `@${input.purpose}` },
      access: 'write',
      env: {},
      secrets: [],
      timeoutSeconds: condition.timeSeconds,
      task,
    });
    if (workspace.plan.worktree) await putBack(workspace.path, input);
    const broken = reasonItCouldNotRun(result);
    if (broken !== undefined) return { kind: 'error', reason: `it could not run (${broken.replaceAll('_', ' ')})` };
    if (result.exitCode === null || result.ended !== 'exit') {
      return { kind: 'error', reason: `it did not end within ${condition.timeSeconds} s` };
    }
    const { stdout, stderr } = texts.tail;
    return compare(condition, { exitCode: result.exitCode, stdout, stderr });
  });
}

/** B12 holds for conditions too: what asks does not change. */
async function putBack(path: string, input: EvaluateInput): Promise<void> {
  if (input.snapshot === undefined || (await treeState(path)).count === 0) return;
  await rollback({ worktree: path, to: input.snapshot.commit });
}

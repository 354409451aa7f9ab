import type { AttemptInput } from '#core/contract/activities.ts';
import type { AttemptEnd } from '#core/run/attempt-result.ts';
import { normaliseForFingerprint } from '#core/text/fingerprint.ts';
import type { Place } from '#activities/attempt/prepare.ts';
import type { Ran } from '#activities/attempt/ran.ts';
import { renderedCommand } from '#activities/attempt/render.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { runShell } from '#activities/shell.ts';
import type { Task } from '#activities/task.ts';
import { digestOf, putText } from '#activities/texts.ts';
import { type ContainedResult, reasonItCouldNotRun } from '#infra/process/contained-spec.ts';

/** The command of a `run` step. Faults: `sandbox/*`, `secret/*`, `store/*`, `template/unresolved`. */
export async function runCommand(deps: HostDeps, input: AttemptInput, place: Place, task: Task): Promise<Ran> {
  const { step, scope, key } = input;
  if (step.work.kind !== 'run') throw new TypeError(`step ${step.id} has no command`);
  const command = await renderedCommand(deps, step.work.command, scope);
  const { result, texts } = await runShell(deps, {
    command,
    cwd: place.path,
    runId: key.runId,
    output: key,
    access: place.access,
    env: step.env,
    secrets: step.secrets,
    timeoutSeconds: step.timeSeconds,
    task,
  });
  const end = endOf(result, step.timeSeconds);
  return {
    end,
    ...(result.exitCode === null ? {} : { exitCode: result.exitCode }),
    output: texts.artifact,
    ...(end.kind === 'ok' ? {} : { feedback: await putText(deps.artifacts, texts.excerpt.text, []) }),
    digest: digestOf(`${result.exitCode}\n${normaliseForFingerprint(texts.tail.combined)}`),
    spend: { usd: 0, estimated: false, inputTokens: 0, outputTokens: 0 },
    findings: result.leftovers.map(({ pid, command: left }) => `leftover: process ${pid} (${left}) was killed`),
    durationMs: result.durationMs,
  };
}

function endOf(result: ContainedResult, timeSeconds: number): AttemptEnd {
  const broken = reasonItCouldNotRun(result);
  if (broken !== undefined) {
    return {
      kind: 'failed',
      reason: `The command could not run: ${broken.replaceAll('_', ' ')} (exit ${result.exitCode ?? 'none'}).`,
    };
  }
  if (result.ended === 'timeout' || result.ended === 'quiet') return { kind: 'timed_out', afterSeconds: timeSeconds };
  if (result.exitCode === 0) return { kind: 'ok' };
  const signal = result.signal === undefined ? '' : `, ${result.signal}`;
  return { kind: 'failed', reason: `The command exited ${result.exitCode ?? 'without a code'}${signal}.` };
}

import type { AttemptInput } from '#core/contract/activities.ts';
import type { AttemptEnd } from '#core/run/attempt-result.ts';
import { normaliseForFingerprint } from '#core/text/fingerprint.ts';
import { notStarted } from '#activities/attempt/not-started.ts';
import type { Place } from '#activities/attempt/prepare.ts';
import type { Ran } from '#activities/attempt/ran.ts';
import { renderedCommand } from '#activities/attempt/render.ts';
import { openStreams, type StreamsKept, streamsOf } from '#activities/attempt/streams.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { hiddenSecrets } from '#activities/secrets.ts';
import { runShell, type ShellDone } from '#activities/shell.ts';
import { stepSurroundingsOf, type StepSurroundings } from '#activities/surroundings.ts';
import type { Task } from '#activities/task.ts';
import { digestOf, putText } from '#activities/texts.ts';
import { type ContainedResult, reasonItCouldNotRun } from '#infra/process/contained-spec.ts';
import { smallExcerpt } from '#infra/process/output-log.ts';

/** The command of a `run` step. Faults: `sandbox/*`, `secret/*`, `store/*`, `template/unresolved`. */
export async function runCommand(deps: HostDeps, input: AttemptInput, place: Place, task: Task): Promise<Ran> {
  const { step, scope, workspace } = input;
  if (step.work.kind !== 'run') throw new TypeError(`step ${step.id} has no command`);
  const { env, directory } = step;
  const around = await stepSurroundingsOf(deps, { env, scope, workspace, root: place.path, directory });
  if (around.kind === 'impossible') return notStarted(deps, around.reason);
  const command = await renderedCommand(deps, step.work.command, scope);
  const { done, streams } = await runHeard(deps, input, { command, place, around }, task);
  return ranOf(deps, input, done, { streams, notes: around.notes });
}

interface Starting {
  command: string;
  place: Place;
  around: Extract<StepSurroundings, { kind: 'found' }>;
}

async function runHeard(
  deps: HostDeps,
  { step, key, scope }: AttemptInput,
  { command, place, around }: Starting,
  task: Task,
): Promise<{ done: ShellDone; streams: StreamsKept }> {
  const hidden = hiddenSecrets(deps.environment, await persist(() => deps.secrets.known(key.runId), task.signal));
  const streams = openStreams(deps.artifacts, step.output, hidden);
  try {
    const done = await runShell(deps, {
      command,
      cwd: place.path,
      startsAt: around.cwd,
      runId: key.runId,
      output: key,
      access: place.access,
      env: { ...around.fromFiles, ...around.env },
      secrets: step.secrets,
      writable: around.writable,
      hear: streams.write,
      excerptCharacters: scope.feedbackChars,
      timeoutSeconds: step.timeSeconds,
      task,
    });
    return { done, streams: await streams.finish() };
  } catch (error) {
    streams.discard();
    throw error;
  }
}

interface Heard {
  streams: StreamsKept;
  notes: readonly string[];
}

async function ranOf(
  deps: HostDeps,
  { step }: AttemptInput,
  { result, texts }: ShellDone,
  { streams, notes }: Heard,
): Promise<Ran> {
  const end = endOf(result, step.timeSeconds);
  const { trimmed } = streams;
  const excerpt = smallExcerpt(texts.tail.stdout.trimEnd());
  return {
    end,
    ...(result.exitCode === null ? {} : { exitCode: result.exitCode }),
    output: trimmed === undefined ? texts.artifact : { sha256: trimmed.sha256, bytes: trimmed.bytes, excerpt },
    ...(trimmed === undefined ? {} : { log: texts.artifact }),
    ...streamsOf(streams),
    ...(end.kind === 'ok' ? {} : { feedback: await putText(deps.artifacts, texts.excerpt.text, []) }),
    digest: digestOf(`${result.exitCode}\n${normaliseForFingerprint(texts.tail.combined)}`),
    spend: { usd: 0, estimated: false, inputTokens: 0, outputTokens: 0 },
    findings: [
      ...notes,
      ...result.leftovers.map(({ pid, command: left }) => `leftover: process ${pid} (${left}) was killed`),
    ],
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

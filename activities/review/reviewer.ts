import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { type AgentAttemptOutcome, attemptOutcome } from '#core/agent/attempt-outcome.ts';
import { usageSince } from '#core/agent/usage.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { ReviewInput } from '#core/contract/activities.ts';
import { normaliseText } from '#core/text/normalise.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import type { AgentRequest } from '#activities/agents/adapter.ts';
import { agents } from '#activities/agents/registry.ts';
import { exitOf } from '#activities/attempt/agent-end.ts';
import { runAgentProcess } from '#activities/attempt/agent-process.ts';
import type { ChosenAgent } from '#activities/attempt/choose-agent.ts';
import { countedUsage, newUsage } from '#activities/attempt/counted-usage.ts';
import { layFiles } from '#activities/attempt/lay-files.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import type { ReviewMeter } from '#activities/review/review-meter.ts';
import { hiddenSecrets, redactedReport } from '#activities/secrets.ts';
import { surroundingsOf } from '#activities/surroundings.ts';
import type { Task } from '#activities/task.ts';
import { agentPlacesOf, type AgentPlaces } from '#activities/workspace/places.ts';

/** What one question to the reviewer came to. */
export interface Asked {
  outcome: AgentAttemptOutcome;
  /** Its final answer, normalised, without the question itself where the agent printed it back (A9). */
  answer: string;
  /** The whole stream. */
  log: ArtifactRef;
  session?: string;
  findings: string[];
}

export interface Reviewer {
  /** Whether a session that was told can be asked again. */
  resumable: boolean;
  /** What to type to sign it in. */
  signIn: string;
  /** Runs the agent once, read-only. `round` counts the questions of a review, from 1. */
  ask(question: { prompt: string; number: number; session?: string }): Promise<Asked>;
}

export interface Reviewing {
  input: ReviewInput;
  /** The checkout of the work. */
  path: string;
  chosen: ChosenAgent;
  meter: ReviewMeter;
  task: Task;
}

/**
 * The reviewer of a check: in a HOME and sessions of its own, held by its own read-only flags and a read-only mount (H3).
 * All its questions together have the check's time. Faults: `agent/*`, `sandbox/*`, `secret/*`, `store/*`.
 */
export async function openReviewer(deps: HostDeps, reviewing: Reviewing): Promise<Reviewer> {
  const { input, chosen, task } = reviewing;
  const { runId, step, check } = input;
  const places = agentPlacesOf(deps.home, runId, `${step}/${check.name}`);
  await mkdir(places.home, { recursive: true });
  const granted = await persist(() => deps.secrets.grant(runId, input.secrets), task.signal);
  const hidden = hiddenSecrets(deps.environment, await persist(() => deps.secrets.known(runId), task.signal));
  const endsAt = performance.now() + check.timeSeconds * 1000;
  const adapter = agents[chosen.name];
  return {
    resumable: adapter.resumable,
    signIn: adapter.probe?.signIn ?? 'see the log of the review',
    ask: (question) => ask(deps, { ...reviewing, ...question, places, granted, hidden, endsAt }),
  };
}

interface Asking extends Reviewing {
  prompt: string;
  number: number;
  session?: string;
  places: AgentPlaces;
  granted: readonly Secret[];
  hidden: readonly Secret[];
  /** As `performance.now()` tells it. */
  endsAt: number;
}

async function ask(deps: HostDeps, asking: Asking): Promise<Asked> {
  const { input, chosen, places, meter, hidden, session, prompt } = asking;
  const { runId, step, pass, round, check } = input;
  const adapter = agents[chosen.name];
  const invocation = adapter.invoke(requestOf(deps, asking));
  await layFiles({ home: places.home, userHome: deps.userHome }, invocation);
  const { custom } = check.agent;
  const parser = adapter.parser({ now: () => Date.now(), ...(custom === undefined ? {} : { output: custom.output }) });
  const counted = await countedUsage(places.memory, session);
  const around = await surroundingsOf(deps, input);
  const name = asking.number === 1 ? check.name : `${check.name} (question ${asking.number})`;
  const done = await runAgentProcess(deps, {
    agent: chosen.name,
    invocation,
    parser,
    place: { path: asking.path, access: 'read' },
    home: places.home,
    readable: [],
    env: around.env,
    writable: around.writable,
    granted: asking.granted,
    hidden,
    timeoutSeconds: Math.max(1, (asking.endsAt - performance.now()) / 1000),
    quietSeconds: check.agent.quietSeconds,
    output: { runId, step, pass, attempt: round, check: name },
    count: (usage) => meter.count(usageSince(counted, usage)),
    task: asking.task,
  });
  const report = redactedReport(parser.end(exitOf(done.result), done.texts.tail.stderr), hidden);
  await meter.settle(await newUsage(places.memory, report));
  const text = normaliseText(report.finalText ?? done.texts.tail.stdout);
  return {
    outcome: attemptOutcome('read', exitOf(done.result), report),
    answer: text.replaceAll(normaliseText(prompt).trim(), '\n'),
    log: done.texts.artifact,
    ...(report.sessionId === undefined ? {} : { session: report.sessionId }),
    findings: [
      ...done.result.leftovers.map(({ pid, command }) => `leftover: process ${pid} (${command}) was killed`),
      ...report.denials.map((denial) => `denied: ${denial}`),
    ],
  };
}

function requestOf(deps: HostDeps, { input, chosen, places, prompt, path, session }: Asking): AgentRequest {
  const { name, model, effort, args, custom, scripted } = input.check.agent;
  const begins = agents[chosen.name].takesSessionId ? { session: { kind: 'start' as const, id: randomUUID() } } : {};
  return {
    mode: 'read',
    prompt,
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(args === undefined || name !== chosen.name ? {} : { args }),
    ...(session === undefined ? begins : { session: { kind: 'resume' as const, id: session } }),
    workspace: path,
    home: places.home,
    contained: deps.sandbox.kind !== 'none',
    executable: chosen.executable,
    ...(custom === undefined ? {} : { custom }),
    ...(scripted === undefined ? {} : { scripted }),
    pass: input.pass,
  };
}

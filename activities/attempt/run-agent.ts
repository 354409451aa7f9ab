import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { AgentReport } from '#core/agent/outcome.ts';
import { attemptOutcome } from '#core/agent/attempt-outcome.ts';
import { usageSince } from '#core/agent/usage.ts';
import { rebuiltNote } from '#core/feedback/brief.ts';
import { spendOf } from '#core/agent/price.ts';
import type { AttemptInput } from '#core/contract/activities.ts';
import type { AgentPlan } from '#core/agent/agent-plan.ts';
import type { AgentRequest } from '#activities/agents/adapter.ts';
import { agents } from '#activities/agents/registry.ts';
import { type ChosenAgent, chooseProgram } from '#activities/attempt/choose-agent.ts';
import { endOf, exitOf } from '#activities/attempt/agent-end.ts';
import { type AgentProcess, type AgentProcessDone, runAgentProcess } from '#activities/attempt/agent-process.ts';
import { countedUsage, newUsage } from '#activities/attempt/counted-usage.ts';
import { layFiles } from '#activities/attempt/lay-files.ts';
import { notStarted } from '#activities/attempt/not-started.ts';
import type { Place } from '#activities/attempt/prepare.ts';
import type { Ran } from '#activities/attempt/ran.ts';
import { renderedPrompt } from '#activities/attempt/render.ts';
import { createSpendMeter } from '#activities/attempt/spend-meter.ts';
import { openStreams, type StreamsKept, streamsOf } from '#activities/attempt/streams.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { persist } from '#activities/persist.ts';
import { hiddenSecrets, redactedReport } from '#activities/secrets.ts';
import { stepSurroundingsOf, type StepSurroundings } from '#activities/surroundings.ts';
import { cancelled, type Task } from '#activities/task.ts';
import { digestOf, putText } from '#activities/texts.ts';
import { type AgentPlaces, agentPlacesOf } from '#activities/workspace/places.ts';
import type { Secret } from '#core/text/secret-forms.ts';

/** Everything that is fixed about one agent attempt before its process starts. */
interface Start {
  input: AttemptInput;
  plan: AgentPlan;
  chosen: ChosenAgent;
  places: AgentPlaces;
  prompt: string;
  place: Place;
  around: Extract<StepSurroundings, { kind: 'found' }>;
  /** What the plan grants the step. */
  granted: readonly Secret[];
  /** What is hidden in all that it says. */
  hidden: readonly Secret[];
}

/**
 * The agent's process of an attempt. A session that is gone falls back once to a fresh one, visibly (E4).
 * Faults: `agent/*`, `sandbox/*`, `secret/*`, `store/*`.
 */
export async function runAgent(deps: HostDeps, input: AttemptInput, place: Place, task: Task): Promise<Ran> {
  if (input.step.work.kind !== 'agent') throw new TypeError(`step ${input.step.id} has no agent`);
  const plan = input.step.work.agent;
  const { scope, workspace, step } = input;
  const { env, directory } = step;
  const around = await stepSurroundingsOf(deps, { env, scope, workspace, root: place.path, directory });
  if (around.kind === 'impossible') return notStarted(deps, around.reason);
  const places = agentPlacesOf(deps.home, input.key.runId, input.step.id);
  await mkdir(places.home, { recursive: true });
  const { secrets } = input.step;
  const { runId } = input.key;
  const granted = await persist(() => deps.secrets.grant(runId, secrets), task.signal);
  const hidden = hiddenSecrets(deps.environment, await persist(() => deps.secrets.known(runId), task.signal));
  const prompt = await renderedPrompt(deps, input, places.feedback);
  const chosen = await chooseProgram(plan, deps);
  const start: Start = { input, plan, chosen, places, prompt, place, around, granted, hidden };
  const { session, told: ofSession } = sessionOf(input, plan, chosen);
  const told = [...around.notes, ...ofSession];
  const first = await runOnce(
    deps,
    session === undefined ? start : { ...start, prompt: resumedPrompt(start) },
    session,
    task,
  );
  if (first.lost === undefined) return { ...first.ran, findings: [...told, ...first.ran.findings] };
  const fresh = await runOnce(deps, start, undefined, task);
  return { ...fresh.ran, findings: [...told, `session_lost: ${first.lost}`, ...fresh.ran.findings] };
}

/** E4: a session goes on only with the agent whose it is; that another one begins afresh is told. */
function sessionOf(
  { session, sessionAgent, key, workspace }: AttemptInput,
  plan: AgentPlan,
  { name }: ChosenAgent,
): { session?: string; told: string[] } {
  const isInVain = plan.session === 'resume' && key.pass > 1 && !agents[name].resumable;
  if (isInVain) return { told: [`session_not_resumed: ${name} has no sessions that can be resumed`] };
  if (session === undefined) return { told: [] };
  if (workspace.plan.lane === 'pass' && agents[name].sessionsStay === true) {
    return { told: [`session_not_resumed: sessions of ${name} belong to their folder, and each pass has a new one`] };
  }
  if (sessionAgent === undefined || sessionAgent === name) return { session, told: [] };
  return { told: [`session_not_resumed: it is of ${sessionAgent}, and ${name} works now, in a fresh one`] };
}

/** E4: what a session remembers of a workspace that was rebuilt since may not be there. */
function resumedPrompt({ prompt, place }: Start): string {
  return place.rebuilt ? `${prompt}\n${rebuiltNote}` : prompt;
}

async function runOnce(
  deps: HostDeps,
  start: Start,
  session: string | undefined,
  task: Task,
): Promise<{ ran: Ran; lost?: string }> {
  const adapter = agents[start.chosen.name];
  const invocation = adapter.invoke(requestOf(deps, start, session));
  await layFiles({ home: start.places.home, userHome: deps.userHome }, invocation);
  const parser = adapter.parser({
    now: () => Date.now(),
    ...(start.plan.custom === undefined ? {} : { output: start.plan.custom.output }),
  });
  const meter = createSpendMeter(deps, start.input.key, task);
  const counted = await countedUsage(start.places.memory, session);
  const { around } = start;
  const { done, streams } = await heardProcess(deps, start, {
    agent: start.chosen.name,
    invocation,
    parser,
    place: start.place,
    home: start.places.home,
    readable: [start.places.feedback],
    env: around.env,
    fromFiles: around.fromFiles,
    startsAt: around.cwd,
    writable: around.writable,
    granted: start.granted,
    hidden: start.hidden,
    timeoutSeconds: start.input.step.timeSeconds,
    quietSeconds: start.plan.quietSeconds,
    output: start.input.key,
    excerptCharacters: start.input.scope.feedbackChars,
    // Totals of a resumed session count what earlier passes cost; that is in their own spend (H1).
    count: (usage) => meter.count(usageSince(counted, usage)),
    task,
  });
  const report = redactedReport(parser.end(exitOf(done.result), done.texts.tail.stderr), start.hidden);
  const outcome = attemptOutcome(start.input.step.readOnly ? 'read' : 'write', exitOf(done.result), report);
  if (outcome.kind === 'cancelled' && task.stopping()) throw cancelled(task);
  const ran = await ranOf(deps, start, { ...done, streams }, report);
  const remedy = adapter.probe?.signIn ?? 'see the log of the attempt';
  const { timeSeconds } = start.input.step;
  const end = endOf(outcome, { now: Date.now(), timeSeconds, quietSeconds: start.plan.quietSeconds, remedy });
  const lost = outcome.kind === 'session_lost' && session !== undefined ? outcome.message : undefined;
  return { ran: { ...ran, end }, ...(lost === undefined ? {} : { lost }) };
}

/** The process with those of its streams that the step's `output` asks for. */
async function heardProcess(
  deps: HostDeps,
  { input, hidden }: Start,
  process: AgentProcess,
): Promise<{ done: AgentProcessDone; streams: StreamsKept }> {
  const streams = openStreams(deps.artifacts, input.step.output, hidden);
  try {
    const done = await runAgentProcess(deps, { ...process, hear: streams.write });
    return { done, streams: await streams.finish() };
  } catch (error) {
    streams.discard();
    throw error;
  }
}

function requestOf(deps: HostDeps, start: Start, session: string | undefined): AgentRequest {
  const { plan, chosen, input, places, prompt, around } = start;
  const { takesSessionId } = agents[chosen.name];
  const begins = takesSessionId ? { session: { kind: 'start' as const, id: randomUUID() } } : {};
  return {
    mode: input.step.readOnly ? 'read' : 'write',
    prompt,
    ...(plan.model === undefined ? {} : { model: plan.model }),
    ...(plan.effort === undefined ? {} : { effort: plan.effort }),
    // Of a fallback's CLI they would be unknown.
    ...(plan.args === undefined || plan.name !== chosen.name ? {} : { args: plan.args }),
    ...(session === undefined ? begins : { session: { kind: 'resume' as const, id: session } }),
    workspace: around.cwd,
    home: places.home,
    contained: deps.sandbox.kind !== 'none',
    executable: chosen.executable,
    commands: input.step.checks.flatMap((check) => (check.kind === 'command' ? [check.command] : [])),
    ...(plan.custom === undefined ? {} : { custom: plan.custom }),
    ...(plan.scripted === undefined ? {} : { scripted: plan.scripted }),
    pass: input.key.pass,
  };
}

type Heard = AgentProcessDone & { streams: StreamsKept };

async function ranOf(deps: HostDeps, start: Start, done: Heard, report: AgentReport): Promise<Ran> {
  const { input, places, chosen, prompt, hidden } = start;
  const answer = report.finalText ?? done.texts.tail.stdout;
  const text = input.step.output?.of === 'stdout' ? answer.trimEnd() : answer;
  const textHarness = report.terminalEvent === 'none_expected';
  const usage = await newUsage(places.memory, report);
  return {
    end: { kind: 'ok' },
    ...(done.result.exitCode === null ? {} : { exitCode: done.result.exitCode }),
    output: await putText(deps.artifacts, text, hidden),
    log: done.texts.artifact,
    ...streamsOf(await answered(deps, done.streams, report)),
    feedback: await putText(deps.artifacts, done.texts.excerpt.text, []),
    ...(textHarness ? { echoed: await putText(deps.artifacts, prompt, hidden) } : {}),
    ...(input.workspace.base === undefined ? { digest: digestOf(text) } : {}),
    spend: spendOf(usage),
    ...(report.sessionId === undefined ? {} : { session: report.sessionId }),
    agent: chosen.name,
    findings: [
      ...done.result.leftovers.map(({ pid, command }) => `leftover: process ${pid} (${command}) was killed`),
      ...report.denials.map((denial) => `denied: ${denial}`),
      ...(done.result.waitedForInput ? ['waited_for_input: it was ended while it waited for someone to type'] : []),
    ],
    durationMs: done.result.durationMs,
  };
}

/** D-07, A5: what an agent says is its final answer where the CLI tells it, not the stream of its events. */
async function answered(
  { artifacts }: HostDeps,
  streams: StreamsKept,
  { finalText }: AgentReport,
): Promise<StreamsKept> {
  if (streams.stdout === undefined || finalText === undefined) return streams;
  return { ...streams, stdout: await artifacts.putText(finalText) };
}

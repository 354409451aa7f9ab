import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { installedAgentNames } from '#core/agent/agent-name.ts';
import { attemptOutcome } from '#core/agent/attempt-outcome.ts';
import type { SuggestRequest } from '#core/contract/suggest.ts';
import { readSuggestion, type Suggestion } from '#core/suggest/suggestion.ts';
import { suggestionBrief, suggestionRepair } from '#core/suggest/suggestion-brief.ts';
import { normaliseText } from '#core/text/normalise.ts';
import { agents } from '#activities/agents/registry.ts';
import { endOf, exitOf } from '#activities/attempt/agent-end.ts';
import { runAgentProcess } from '#activities/attempt/agent-process.ts';
import { type ChosenAgent, chooseProgram } from '#activities/attempt/choose-agent.ts';
import { layFiles } from '#activities/attempt/lay-files.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { hiddenSecrets, redactedReport } from '#activities/secrets.ts';
import { openArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { checkoutSnapshot } from '#infra/git/checkout.ts';
import { forgetRefs, runRefsOf } from '#infra/git/forget-snapshots.ts';
import { inspectRepository } from '#infra/git/repository.ts';
import { closeWorktree } from '#infra/git/worktree.ts';

export type SuggestDeps = Pick<HostDeps, 'environment' | 'home' | 'userHome' | 'sandbox'>;

export type Suggested =
  | { kind: 'suggested'; agent: string; suggestion: Suggestion }
  | { kind: 'failed'; message: string; remedy: string };

export interface Suggesting {
  signal: AbortSignal;
  /** Called before each question, from 1. */
  onAsking: (agent: string, tries: number) => void;
}

const mostTries = 2;
const timeSeconds = 600;
const quietSeconds = 300;

/**
 * Asks an agent for checks, mode and cap of a task (E-21), as a reviewer is asked: read-only, in a containment, on a clean
 * checkout of HEAD. An answer that is no suggestion is asked for once more. Nothing that it suggests is run. Leaves nothing
 * behind. Faults: `agent/*`, `sandbox/*`, `workspace/*`, `store/*`.
 */
export async function suggest(deps: SuggestDeps, request: SuggestRequest, suggesting: Suggesting): Promise<Suggested> {
  if (!mayBeAsked(request.agent)) return unaskable(request.agent);
  const chosen = await chooseProgram({ name: request.agent, session: 'fresh', fallback: [] }, deps);
  const { head } = await inspectRepository(request.repo);
  const id = `suggestion-${randomUUID()}`;
  const folder = join(deps.home, 'suggestions', id);
  const checkout = join(folder, 'checkout');
  try {
    await mkdir(join(folder, 'home'), { recursive: true });
    await checkoutSnapshot({ repo: request.repo, commit: head, path: checkout, runId: id });
    return await askUntilRead({ deps, chosen, id, folder, checkout, ...suggesting }, request.task);
  } finally {
    await closeWorktree({ path: checkout, work: 'drop' });
    await forgetRefs(request.repo, (await runRefsOf(request.repo, id)).snapshots);
    await rm(folder, { recursive: true, force: true });
  }
}

function mayBeAsked(agent: string): boolean {
  return agent === 'auto' || (installedAgentNames as readonly string[]).includes(agent);
}

function unaskable(agent: string): Suggested {
  return {
    kind: 'failed',
    message: `${agent} is no agent that can be asked`,
    remedy: `name auto or one of ${installedAgentNames.join(', ')}`,
  };
}

interface Place extends Suggesting {
  deps: SuggestDeps;
  chosen: ChosenAgent;
  id: string;
  folder: string;
  checkout: string;
}

async function askUntilRead(place: Place, task: string): Promise<Suggested> {
  const { name } = place.chosen;
  const brief = suggestionBrief(task);
  let prompt = brief;
  let why = '';
  for (let tries = 1; tries <= mostTries; tries += 1) {
    place.onAsking(name, tries);
    const asked = await ask(place, { prompt, tries });
    if (asked.kind === 'failed') return asked;
    const read = readSuggestion(asked.answer, normaliseText(prompt));
    if (read.kind === 'read') return { kind: 'suggested', agent: name, suggestion: read.suggestion };
    why = read.why;
    prompt = suggestionRepair(brief, { answer: asked.answer, why });
  }
  return {
    kind: 'failed',
    message: `${name} gave no suggestion that can be used, ${mostTries} times: ${why}`,
    remedy: 'try again, ask another agent with --agent, or begin with a starter (setpoint init)',
  };
}

type Asked = { kind: 'answered'; answer: string } | Extract<Suggested, { kind: 'failed' }>;

async function ask(place: Place, { prompt, tries }: { prompt: string; tries: number }): Promise<Asked> {
  const { deps, chosen, id, folder, checkout, signal } = place;
  const adapter = agents[chosen.name];
  const home = join(folder, 'home');
  const hidden = hiddenSecrets(deps.environment, []);
  const invocation = adapter.invoke({
    mode: 'read',
    prompt,
    ...(adapter.takesSessionId ? { session: { kind: 'start', id: randomUUID() } } : {}),
    workspace: checkout,
    home,
    contained: deps.sandbox.kind !== 'none',
    executable: chosen.executable,
    pass: tries,
  });
  await layFiles({ home, userHome: deps.userHome }, invocation);
  const parser = adapter.parser({ now: () => Date.now() });
  const store = openArtifactStore(join(folder, 'artifacts'));
  const done = await runAgentProcess(
    { environment: deps.environment, sandbox: deps.sandbox, home: folder, artifacts: store },
    {
      agent: chosen.name,
      invocation,
      parser,
      place: { path: checkout, access: 'read' },
      home,
      readable: [],
      env: {},
      granted: [],
      hidden,
      timeoutSeconds: timeSeconds,
      quietSeconds,
      output: { runId: id, step: 'suggest', pass: tries, attempt: 1 },
      count: () => undefined,
      task: { containmentId: `${id}#${tries}`, signal, tries: 1, report: () => undefined, stopping: () => false },
    },
  );
  const report = redactedReport(parser.end(exitOf(done.result), done.texts.tail.stderr), hidden);
  const outcome = attemptOutcome('read', exitOf(done.result), report);
  if (outcome.kind === 'ok') {
    return { kind: 'answered', answer: normaliseText(report.finalText ?? done.texts.tail.stdout) };
  }
  return failed(chosen.name, outcome);
}

function failed(name: ChosenAgent['name'], outcome: Parameters<typeof endOf>[0]): Extract<Asked, { kind: 'failed' }> {
  const signIn = agents[name].probe?.signIn ?? 'see its own documentation';
  const end = endOf(outcome, { now: Date.now(), timeSeconds, quietSeconds, remedy: signIn });
  const reason =
    'reason' in end ? end.reason : end.kind === 'timed_out' ? `it took longer than ${timeSeconds} s` : end.kind;
  return {
    kind: 'failed',
    message: `${name} could not be asked: ${reason}`,
    remedy: `check it with setpoint agents --check (sign-in: ${signIn}), or ask another one with --agent`,
  };
}

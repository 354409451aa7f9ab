import type { Plan } from '#core/plan/plan.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { RaisedLimits, RunEvent } from '#core/run/event.ts';
import { asManyAgain } from '#core/run/cause.ts';
import { planStep } from '#core/run/graph.ts';
import { type RunState, stepOf } from '#core/run/state.ts';
import type { StopKind } from '#core/run/stop.ts';
import type { Question } from '#core/task/question.ts';
import { limitsStep, taskId } from '#core/task/task.ts';

/**
 * C7 `ask`: a limit ran out, and a person says whether the run goes on. Approving grants as much again, a push back does
 * so with a word to the next pass, a rejection ends the run for that limit.
 */
export function askAboutLimit(plan: Plan, state: RunState): RunEvent | undefined {
  const { paused, question } = state;
  if (paused === null || !paused.ask) return undefined;
  if (!paused.asked) return opened(plan, state, paused);
  if (question === null || question.status !== 'decided') return undefined;
  const decision = question.decisions.at(-1);
  if (decision === undefined) return undefined;
  if (decision.kind === 'reject') return rejected(state, paused, decision);
  const { by, comment, text, kind } = decision;
  return {
    type: 'run.raised',
    at: state.now,
    messageId: `${question.id}#${question.revision}`,
    by,
    limits: asMuchAgain(plan, state, paused),
    ...(kind === 'push_back' ? { remark: { by, comment, text } } : {}),
  };
}

type Paused = NonNullable<RunState['paused']>;

function opened(plan: Plan, state: RunState, paused: Paused): RunEvent {
  const { question, runId, workspace } = state;
  const asked: Question = {
    ask: { text: `${paused.reason} Shall it go on, with as much again?` },
    shown: paused.step === null ? [] : evidenceOf(state, paused.step),
    who: [],
    quorum: 1,
    notAuthor: false,
    backTo: paused.step === null ? [] : [planStep(plan, paused.step).loop?.to ?? paused.step],
    ...(workspace.snapshot === null ? {} : { commit: workspace.snapshot.commit, tree: workspace.snapshot.tree }),
  };
  const onTask = {
    step: limitsStep,
    pass: 0,
    task: taskId(runId, limitsStep),
    revision: (question?.revision ?? 0) + 1,
  };
  return { type: 'task.opened', at: state.now, ...onTask, ...asked };
}

/** What the last pass of the step gave, and what its checks found. */
function evidenceOf(state: RunState, id: string): { name: string; content: ArtifactRef }[] {
  const { result, verdicts } = stepOf(state, id);
  const found = verdicts.flatMap(({ check, verdict: { evidence } }) => {
    const content = evidence.feedback ?? evidence.log;
    return content === undefined ? [] : [{ name: check, content }];
  });
  return result === null ? found : [{ name: `output of ${id}`, content: result.output }, ...found];
}

function rejected(state: RunState, paused: Paused, { by, comment }: { by: string; comment: string }): RunEvent {
  const said = comment === '' ? '' : `: ${comment}`;
  const reason = `${paused.reason} ${by} decided not to go on${said}`;
  return { type: 'run.ending', at: state.now, stop: { kind: stopOf(paused.code), reason } };
}

function stopOf(code: string): StopKind {
  return code === 'timed_out' || code === 'over_budget' ? code : 'exhausted';
}

/** The limit that ran out, by its own measure once more. */
function asMuchAgain(plan: Plan, state: RunState, paused: Paused): RaisedLimits {
  const { timeSeconds, deadlineSeconds, spendUsd } = plan.limits;
  const second = 1000;
  switch (paused.code) {
    case 'exhausted': {
      const limit = paused.step === null ? null : (planStep(plan, paused.step).loop?.limit ?? null);
      if (paused.step === null || limit === null) return paused.step === null ? {} : { step: paused.step };
      return { passes: asManyAgain(limit, stepOf(state, paused.step).loops), step: paused.step };
    }
    case 'timed_out': {
      const active = state.activeMs / second;
      const passed = (state.now - state.countedFrom) / second;
      return {
        ...(timeSeconds === undefined ? {} : { timeSeconds: active + timeSeconds }),
        ...(deadlineSeconds === undefined ? {} : { deadlineSeconds: passed + deadlineSeconds }),
      };
    }
    default:
      return spendUsd === undefined ? {} : { spendUsd: (state.spend.usd ?? 0) + spendUsd };
  }
}

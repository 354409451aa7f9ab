import type { AttemptInput } from '#core/contract/activities.ts';
import { unreachable } from '#core/exhaustive.ts';
import { agentPrompt } from '#core/feedback/agent-prompt.ts';
import { feedbackBlock, type FeedbackText, reportBlock } from '#core/feedback/brief.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import type { Plan, StepPlan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';
import { attemptInput } from '#core/run/work-input.ts';
import { noOptions, type SimulateOptions } from '#core/simulate/options.ts';
import { simulate } from '#core/simulate/simulate.ts';
import { outputsNeeded } from '#core/template/references.ts';
import { templateScope } from '#core/template/render.ts';
import { factsOf } from '#core/doctor/facts.ts';
import { type LoopView, shortened } from '#core/doctor/loop-view.ts';

/** What an agent would be asked once a loop has sent its work back. */
export interface TracedLoop {
  loop: string;
  /** The agent's step; absent = no agent is within the loop. */
  step?: string;
  pass?: number;
  /** The whole text that it would get; absent = the loop never came to a second pass, and `reason` says why. */
  brief?: string;
  reason?: string;
}

/**
 * Plays a first pass of every loop in which nothing passes, with stand-ins for agents, commands and people, and shows the
 * brief of the pass after it, by the same law and the same words as a run. Runs nothing and spends nothing.
 */
export function traceLoops(plan: Plan): TracedLoop[] {
  return factsOf(plan).loops.map((view) => traced(plan, view));
}

function traced(plan: Plan, view: LoopView): TracedLoop {
  const loop = view.owner.id;
  const [worker] = view.workers;
  if (worker === undefined) return { loop, reason: 'No agent is within this loop.' };
  const played = failingOnce(plan, view);
  const { timeline } = simulate({ plan: played, events: [], options: failingOptions(view), mostEvents: 2000 });
  const events = timeline.map(({ event }) => event);
  const at = events.findIndex(
    (event) => event.type === 'attempt.started' && event.step === worker.id && event.pass > 1,
  );
  const started = events[at];
  if (started?.type !== 'attempt.started')
    return { loop, step: worker.id, reason: 'No second pass begins: the first failure ends it.' };
  const brief = briefAt(played, events.slice(0, at), started);
  return { loop, step: worker.id, pass: started.pass, brief };
}

/**
 * What is invented would end the loop, so a condition asks for another pass whatever it says; and it says what would: no,
 * unless only a yes goes round again (C6).
 */
function failingOnce(plan: Plan, { owner }: LoopView): Plan {
  const steps = plan.steps.map((step): StepPlan => {
    const { loop } = step;
    if (step.id !== owner.id || loop?.repeat === undefined) return step;
    const mode = loop.repeat.met === 'again' && loop.repeat.unmet !== 'again' ? 'until' : 'while';
    return { ...step, loop: { ...loop, repeat: { ...loop.repeat, mode, met: 'again', unmet: 'again' } } };
  });
  return { ...plan, steps };
}

function failingOptions({ owner, loop }: LoopView): SimulateOptions {
  if (loop.on === 'pass' || (loop.repeat !== undefined && owner.checks.length === 0)) return noOptions;
  const step = owner.id;
  const failChecks = owner.checks.map(({ name }) => ({ step, check: name, pass: 1 }));
  switch (owner.work.kind) {
    case 'person':
      return { ...noOptions, decisions: [{ step, kind: 'push_back', revision: 1 }] };
    case 'run':
    case 'call':
      return { ...noOptions, failChecks, failSteps: [{ step, pass: 1 }] };
    case 'agent':
      return { ...noOptions, failChecks, failSteps: failChecks.length === 0 ? [{ step, pass: 1 }] : [] };
    default:
      return unreachable(owner.work);
  }
}

function briefAt(plan: Plan, events: readonly RunEvent[], started: RunEventOf<'attempt.started'>): string {
  const given = Object.entries(plan.inputs).map(([name, input]) => [name, input.default ?? `(input ${name})`] as const);
  const facts = { plan, inputs: Object.fromEntries(given) };
  const { step, pass, attempt } = started;
  return briefOf(plan, attemptInput(facts, fold(plan, events), { do: 'attempt', step, pass, attempt }));
}

function briefOf(plan: Plan, { step, scope, brief, reportFiles = [] }: AttemptInput): string {
  const template = step.work.kind === 'agent' ? step.work.prompt : '';
  const outputs = outputsNeeded(template).map(
    (id) => [id, scope.outputs[id] === undefined ? '' : standIn(plan, id)] as const,
  );
  const feedback = feedbackBlock(scope.feedback.map((entry) => told(plan, entry)));
  const condition = { stdout: '(what the condition printed)', stderr: '(what it printed on stderr)', exitCode: '1' };
  const values = templateScope({
    inputs: scope.inputs,
    outputs: Object.fromEntries(outputs),
    feedback,
    iteration: scope.iteration,
    run: { ...scope.run, id: '(run)', ...(plan.artifacts === true ? { artifacts: '(artifacts)' } : {}) },
    condition,
  });
  return agentPrompt({ template, values, feedback, brief, report: reportBlock(reportFiles) });
}

/** What would be found stands in brackets, so that nobody takes it for something that was. */
function told(plan: Plan, entry: FeedbackEntry): FeedbackText {
  const owner = plan.steps.find(({ id }) => id === entry.step);
  const check = owner?.checks.find(({ name }) => name === entry.check);
  const command =
    check?.kind === 'command' ? check.command : owner?.work.kind === 'run' ? owner.work.command : undefined;
  const by = entry.by === undefined ? undefined : 'what the person wrote';
  const text = by ?? (command === undefined ? 'what was found' : `what \`${shortened(command)}\` printed`);
  return { entry: { ...entry, summary: '(made to fail by the trace)' }, text: `(${text})` };
}

function standIn(plan: Plan, id: string): string {
  const step = plan.steps.find((each) => each.id === id);
  return step?.work.kind === 'run' ? `(what \`${shortened(step.work.command)}\` printed)` : `(output of ${id})`;
}

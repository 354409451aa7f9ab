import { unreachable } from '#core/exhaustive.ts';
import { busyWith, isStale, withStep } from '#core/run/apply-attempt.ts';
import type { AttemptResult } from '#core/run/attempt-result.ts';
import type { RunEventOf } from '#core/run/event.ts';
import { withMessage } from '#core/run/messages.ts';
import { noSpend, type RunState, stepOf } from '#core/run/state.ts';
import type { Decision, Question } from '#core/task/question.ts';
import { limitsStep, type TaskState } from '#core/task/task.ts';

type TaskEvent = RunEventOf<
  | 'task.opening'
  | 'task.opened'
  | 'task.failed'
  | 'task.decided'
  | 'task.reminded'
  | 'task.escalated'
  | 'task.expired'
  | 'task.closed'
>;

/** Folds what concerns questions to people (D1–D6). */
export function applyTask(state: RunState, event: TaskEvent): RunState {
  switch (event.type) {
    case 'task.opening':
      return withStep(state, event.step, { busy: busyWith('task', event.pass, stepOf(state, event.step).attempt) });
    case 'task.failed':
      return withStep(state, event.step, { busy: null });
    case 'task.opened':
      return open(state, event);
    case 'task.decided':
      return withMessage(decide(state, event), event.messageId);
    case 'task.reminded':
      return withTask(state, event.step, (task) => ({ ...task, reminders: event.count }));
    case 'task.escalated':
      return withTask(state, event.step, (task) => escalate(task, event.to));
    case 'task.expired':
    case 'task.closed':
      return withTask(state, event.step, (task) => ({ ...task, status: 'closed' }));
    default:
      return unreachable(event);
  }
}

/** The question of a step, or the one about a limit. */
export function taskOf(state: RunState, step: string): TaskState | null {
  return step === limitsStep ? state.question : (state.steps[step]?.task ?? null);
}

/** Every question of the run, the one about a limit last. */
export function tasksOf(state: RunState): { step: string; task: TaskState }[] {
  const ofSteps = Object.entries(state.steps).flatMap(([step, { task }]) => (task === null ? [] : [{ step, task }]));
  return state.question === null ? ofSteps : [...ofSteps, { step: limitsStep, task: state.question }];
}

/** Why a question that is still open is over all the same: its pass or its run is. It is closed next. */
export function whyOver(state: RunState, step: string): string | undefined {
  if (state.ending !== null) return 'The run is ending.';
  if (step === limitsStep) return state.paused?.ask === true ? undefined : 'The run goes on.';
  return stepOf(state, step).phase === 'asking' ? undefined : 'The step begins another pass.';
}

function open(state: RunState, event: RunEventOf<'task.opened'>): RunState {
  const task: TaskState = {
    id: event.task,
    revision: event.revision,
    openedAt: event.at,
    status: 'open',
    question: questionOf(event),
    decisions: [],
    reminders: 0,
    escalated: false,
  };
  if (event.step === limitsStep) {
    return { ...state, question: task, paused: state.paused === null ? null : { ...state.paused, asked: true } };
  }
  const step = stepOf(state, event.step);
  // A question that was being asked when its pass ended is known, so that it can be closed.
  const stale = isStale(step, event.pass);
  return withStep(state, event.step, {
    task,
    busy: null,
    ...(stale ? {} : { phase: 'asking', begun: step.begun + 1, notBefore: null }),
  });
}

function questionOf(event: RunEventOf<'task.opened'>): Question {
  const { type: _type, at: _at, step: _step, pass: _pass, task: _task, revision: _revision, ...question } = event;
  return question;
}

function withTask(state: RunState, step: string, change: (task: TaskState) => TaskState): RunState {
  const task = taskOf(state, step);
  if (task === null) return state;
  if (step === limitsStep) return { ...state, question: change(task) };
  return withStep(state, step, { task: change(task) });
}

function escalate(task: TaskState, to: readonly string[]): TaskState {
  const { who } = task.question;
  // Who may decide grows by those who are asked, too; everyone stays everyone.
  const widened = who.length === 0 ? who : [...new Set([...who, ...to])];
  return { ...task, escalated: true, question: { ...task.question, who: widened } };
}

/** What a person answered is the step's output, which templates may name (V-22). */
function decide(state: RunState, event: RunEventOf<'task.decided'>): RunState {
  const { decision, final, step } = event;
  const decided = withTask(state, step, (task) => ({
    ...task,
    decisions: [...task.decisions, decision],
    status: final ? 'decided' : task.status,
  }));
  if (step === limitsStep) return decided;
  return withStep(decided, step, { result: answered(decision), resultPass: event.pass });
}

function answered({ text }: Decision): AttemptResult {
  return { end: { kind: 'ok' }, output: text, fingerprint: '', spend: noSpend, findings: [], durationMs: 0 };
}

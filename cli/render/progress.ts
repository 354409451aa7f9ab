import type { Plan } from '#core/plan/plan.ts';
import type { RunEvent } from '#core/run/event.ts';

/** What a step does at this moment. */
export interface RunningStep {
  step: string;
  pass: number;
  doing: string;
  /** Epoch ms of the machine that recorded it. */
  since: number;
}

/** A question to a person that nobody has decided yet. */
export interface OpenTask {
  task: string;
  step: string;
  ask: string;
  /** Epoch ms. */
  since: number;
}

/** How often a loop fired, against how often it may; `limit` null = unlimited. */
export interface LoopProgress {
  count: number;
  limit: number | null;
}

/** What the live view of a run shows: a fold of its events. */
export interface Progress {
  running: Map<string, RunningStep>;
  loops: Map<string, LoopProgress>;
  /** Open tasks by their id. */
  tasks: Map<string, OpenTask>;
  paused: boolean;
  stopped: boolean;
}

/** Before the first event. */
export function newProgress(plan: Pick<Plan, 'steps'>): Progress {
  const loops = new Map<string, LoopProgress>();
  for (const step of plan.steps) {
    if (step.loop !== undefined) loops.set(step.id, { count: 0, limit: step.loop.limit });
  }
  return { running: new Map(), loops, tasks: new Map(), paused: false, stopped: false };
}

/** Changes `progress` by one event. */
export function advance(progress: Progress, event: RunEvent): void {
  if (event.type === 'run.paused') progress.paused = true;
  else if (endsPause.has(event.type)) progress.paused = false;
  progress.stopped = event.type === 'run.stopped';
  if (progress.stopped) {
    progress.running.clear();
    progress.tasks.clear();
  }
  if (event.type === 'run.retried') for (const loop of progress.loops.values()) loop.count = 0;
  if (event.type === 'loop.fired') {
    progress.loops.set(event.step, { count: event.count, limit: event.limit });
    for (const step of event.reset) progress.running.delete(step);
  }
  advanceOfRun(progress, event);
  advanceOfStep(progress, event);
  advanceOfTask(progress, event);
}

/** What is under way when a run is paused ends first: its events do not end the pause. */
const endsPause: ReadonlySet<RunEvent['type']> = new Set([
  'run.resumed',
  'run.raised',
  'run.retried',
  'run.cancelling',
  'run.ending',
  'run.stopped',
  'attempt.started',
  'step.pushed_back',
]);

const ofRun: Partial<Record<RunEvent['type'], [what: string, doing: string | undefined]>> = {
  'workspace.opening': ['workspace', 'opening'],
  'workspace.opened': ['workspace', undefined],
  'workspace.failed': ['workspace', undefined],
  'baseline.started': ['base', 'checks'],
  'baseline.judged': ['base', undefined],
  'baseline.failed': ['base', undefined],
  'delivery.started': ['delivery', 'delivering'],
  'delivery.finished': ['delivery', undefined],
  'delivery.failed': ['delivery', undefined],
  'files.keeping': ['files', 'keeping'],
  'files.kept': ['files', undefined],
  'files.failed': ['files', undefined],
};

function advanceOfRun(progress: Progress, event: RunEvent): void {
  const change = ofRun[event.type];
  if (change === undefined) return;
  const [what, doing] = change;
  if (doing === undefined) progress.running.delete(what);
  else progress.running.set(what, { step: what, pass: 0, doing, since: event.at });
}

const ofStep: Partial<Record<RunEvent['type'], string>> = {
  'condition.started': 'condition',
  'attempt.started': 'works',
  'work.cancelling': 'is being ended',
  'recovery.started': 'looks for the result',
  'checks.started': 'checks',
  'list.expanding': 'reads its list',
  'call.begun': 'waits for child runs',
  'call.collecting': 'collects from child runs',
};

const settles: ReadonlySet<RunEvent['type']> = new Set([
  'condition.judged',
  'attempt.finished',
  'attempt.interrupted',
  'attempt.lost',
  'work.cancelled',
  'checks.finished',
  'checks.interrupted',
  'step.succeeded',
  'step.failed',
  'step.skipped',
  'call.failed',
]);

function advanceOfStep(progress: Progress, event: RunEvent): void {
  if (!('step' in event && 'pass' in event)) return;
  const doing = ofStep[event.type];
  if (doing !== undefined) {
    progress.running.set(event.step, { step: event.step, pass: event.pass, doing, since: event.at });
  } else if (settles.has(event.type)) {
    progress.running.delete(event.step);
  }
}

function advanceOfTask(progress: Progress, event: RunEvent): void {
  if (event.type === 'task.opened') {
    const { task, step, ask, at } = event;
    progress.tasks.set(task, { task, step, ask: ask.text, since: at });
  }
  const isOver = event.type === 'task.expired' || event.type === 'task.closed';
  if (isOver || (event.type === 'task.decided' && event.final)) progress.tasks.delete(event.task);
}

import { duration } from '#cli/render/amount.ts';
import type { LoopProgress, OpenTask, Progress, RunningStep } from '#cli/render/progress.ts';
import type { Terminal } from '#cli/terminal.ts';

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const widestBar = 20;

/** The live area of a run at `now` (epoch ms): a line a running step, one an open task, then a bar of passes a loop. */
export function liveLines(progress: Progress, now: number, paint: Terminal['paint']): string[] {
  const frame = spinner[Math.floor(now / 100) % spinner.length] ?? '';
  const steps = [...progress.running.values()].map((running) => stepLine(running, now, frame));
  if (steps.length === 0 && progress.paused) steps.push('paused');
  const tasks = [...progress.tasks.values()].map((task) => paint('warn', taskLine(task, now)));
  const single = progress.loops.size === 1;
  const bars = [...progress.loops].map(([step, loop]) => paint('dim', barLine(single ? '' : `${step} `, loop)));
  return [...steps, ...tasks, ...bars];
}

function stepLine(running: RunningStep, now: number, frame: string): string {
  const pass = running.pass > 0 ? ` pass ${running.pass}` : '';
  return `${frame} ${running.step}${pass} ${running.doing} ${duration(now - running.since)}`;
}

function taskLine({ task, step, ask, since }: OpenTask, now: number): string {
  return `? ${step} waits ${duration(now - since)} for a person: ${firstLine(ask)} (${task})`;
}

const widestAsk = 60;

/** A live line must not wrap: what is asked stands whole above it. */
function firstLine(text: string): string {
  const characters = Array.from(text.trim().split('\n', 1)[0] ?? '');
  return characters.length > widestAsk ? `${characters.slice(0, widestAsk - 1).join('')}…` : characters.join('');
}

/** A loop that fired `count` times is in its pass `count + 1`, of `limit + 1` at most. */
function barLine(name: string, loop: LoopProgress): string {
  const pass = loop.count + 1;
  if (loop.limit === null) return `${name}pass ${pass}, no limit of passes`;
  const allowed = loop.limit + 1;
  const cells = Math.min(allowed, widestBar);
  const full = Math.min(cells, Math.max(1, Math.round((pass / allowed) * cells)));
  return `${name}${'▰'.repeat(full)}${'▱'.repeat(cells - full)} pass ${pass} of ${allowed}`;
}

import type { RunListed, RunOutcome } from '#core/contract/http.ts';
import { exitCodeOf, type Stop, StopKind } from '#core/run/stop.ts';

import { type ExitCode, exitCodes } from '#cli/failure.ts';
import { count, money } from '#cli/render/amount.ts';
import type { Line } from '#cli/render/line.ts';
import { decisionLines } from '#cli/render/task-lines.ts';

/** The last line of `--json` (docs/guide/scripts.md), from what the server knows of the run. */
export function outcomeOf(run: Pick<RunListed, 'runId' | 'summary'>): RunOutcome {
  const { summary } = run;
  return {
    runId: run.runId,
    status: summary.status,
    stop: summary.stop?.kind ?? null,
    passes: summary.passes,
    commit: summary.commit ?? null,
    branch: summary.branch ?? null,
    pullRequest: null,
    spend: summary.spendUsd,
    delivery: summary.delivery ?? null,
    ...(summary.task === undefined ? {} : { task: summary.task }),
  };
}

/** 0, 1, 4 or 5 by the stop; 3 when the run waits for a person and nobody waits for it (`--no-wait`). */
export function exitCodeOfOutcome(outcome: RunOutcome): ExitCode {
  const stop = StopKind.safeParse(outcome.stop);
  return stop.success ? exitCodeOf(stop.data) : exitCodes.waitsForPerson;
}

export interface ClosedRun extends Pick<RunListed, 'runId' | 'summary'> {
  /** Absent before its workspace is open, and where nobody asked. */
  workplace?: Workplace;
}

/** The folder that a run works in, a worktree of its own or the checkout itself. */
export interface Workplace {
  path: string;
  worktree: boolean;
}

/**
 * What a person reads when the command ends: stop, passes, commit, branch, and how to look at the work; of a run that has
 * not ended why, and `goOn`, what a person does then.
 */
export function closingLines(run: ClosedRun, goOn = goOnLines(run)): Line[] {
  const { summary, runId } = run;
  const spend = summary.spendUsd > 0 ? `, ${money(summary.spendUsd)}` : '';
  const passes = `${count(summary.passes, 'pass', 'passes')}${spend}`;
  const lines: Line[] = [{ tone: 'plain', text: '' }];
  if (summary.stop === undefined) {
    lines.push({ tone: 'warn', text: `${runId} is ${summary.status} after ${passes}` }, ...whyLines(summary));
    return [...lines, ...goOn];
  }
  return [...lines, ...endedLines({ ...run, stop: summary.stop }, passes)];
}

function endedLines(run: ClosedRun & { stop: Stop }, passes: string): Line[] {
  const { runId, summary, stop } = run;
  const good = stop.kind === 'succeeded';
  const lines: Line[] = [{ tone: good ? 'good' : 'bad', text: `${good ? '✓' : '✗'} ${stop.kind} after ${passes}` }];
  if (!good) lines.push({ tone: 'plain', text: `  why       ${stop.reason}` });
  if (stop.remedy !== undefined) lines.push({ tone: 'plain', text: `  remedy    ${stop.remedy}` });
  if (summary.commit !== undefined) lines.push({ tone: 'plain', text: `  commit    ${summary.commit}` });
  if (summary.branch !== undefined) lines.push({ tone: 'plain', text: `  branch    ${summary.branch}` });
  lines.push(...lookLines(run));
  if (good && summary.branch !== undefined) {
    lines.push({ tone: 'plain', text: `  take it   git merge ${summary.branch}` });
  }
  if (!good) lines.push({ tone: 'plain', text: `  again     setpoint retry ${runId}` });
  return lines;
}

/** Nothing is compared where no snapshots are made; work that no commit holds is where it was done. */
function lookLines({ runId, summary, workplace }: ClosedRun): Line[] {
  if (workplace?.worktree === false) {
    return [{ tone: 'plain', text: `  look      it worked in ${workplace.path}, the checkout itself` }];
  }
  const look: Line = { tone: 'plain', text: `  look      setpoint diff ${runId}` };
  if (workplace === undefined || summary.commit !== undefined) return [look];
  return [look, { tone: 'plain', text: `  work      in ${workplace.path}, until setpoint cleanup ${runId}` }];
}

/**
 * A paused run, or one with an open task, waits for a person; any other goes on by itself. Where the remedy is a command
 * already, resuming is refused before it.
 */
export function goOnLines({ runId, summary }: Pick<RunListed, 'runId' | 'summary'>): Line[] {
  const { status, task, remedy } = summary;
  if (status === 'waiting' && task !== undefined) return decisionLines(task);
  if (status !== 'paused') return [{ tone: 'plain', text: `  go on     setpoint watch ${runId}` }];
  const end: Line = { tone: 'plain', text: `  or end it setpoint cancel ${runId}` };
  if (remedy?.includes('setpoint ') === true) return [end];
  return [{ tone: 'plain', text: `  go on     setpoint resume ${runId}` }, end];
}

export function whyLines(summary: RunListed['summary']): Line[] {
  const lines: Line[] = [];
  if (summary.why !== undefined) lines.push({ tone: 'plain', text: `  why       ${summary.why}` });
  if (summary.remedy !== undefined) lines.push({ tone: 'plain', text: `  remedy    ${summary.remedy}` });
  return lines;
}

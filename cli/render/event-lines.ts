import type { Verdict } from '#core/check/verdict.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { AttemptEnd, AttemptResult } from '#core/run/attempt-result.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';

import { duration, spent } from '#cli/render/amount.ts';
import type { Line } from '#cli/render/line.ts';
import { decisionText, saying, taskLines } from '#cli/render/task-lines.ts';
import type { Tone } from '#cli/terminal.ts';

/** What a person reads of an event: no line for those that only a live view shows. Pure. */
export function eventLines(event: RunEvent): Line[] {
  // Each entry takes the event of its own key, which the type system cannot follow through the look-up.
  const render = renderers[event.type] as (event: RunEvent) => Line[];
  return render(event);
}

type Renderers = { readonly [T in RunEvent['type']]: (event: RunEventOf<T>) => Line[] };

const nothing = (): Line[] => [];

const renderers: Renderers = {
  'run.started': (event) => one('strong', `run ${event.runId} started`),
  'run.reseated': (event) => one('dim', `the run goes on from its recorded events (seat ${event.seat})`),
  'run.forked': (event) => one('strong', `forked from ${event.from.runId} at ${event.from.step}:${event.from.pass}`),
  'run.retried': (event) => one('strong', `retried${byOf(event)}: the run starts again, its counters are reset`),
  'run.resumed': (event) =>
    one('strong', `resumed${byOf(event)}${event.reason === undefined ? '' : `: ${event.reason}`}`),
  'run.raised': (event) => one('strong', `limits raised${byOf(event)}: ${raisedOf(event)}`),
  'run.edited': (event) => one('strong', `edited${byOf(event)}: plan revision ${event.revision}, from the next pass`),
  'run.held': (event) => one('warn', `source "${event.source}" is off: no new pass begins`),
  'run.released': (event) => one('plain', `source "${event.source}" is on again`),
  'run.paused': (event) => [
    { tone: 'warn', text: `paused: ${event.reason} (${event.code})` },
    { tone: 'warn', text: `  remedy: ${event.remedy}` },
  ],
  'run.cancelling': (event) => one('warn', `cancelling${byOf(event)}: ${event.reason}`),
  'run.ending': nothing,
  'handlers.started': (event) => one('dim', `the run ends as ${event.stop.kind}; its handlers run first`),
  'run.stopped': (event) => stopLines(event),
  'timer.fired': nothing,
  'workspace.opening': nothing,
  'workspace.opened': (event) => [
    { tone: 'dim', text: `workspace ${event.path} on host ${event.hostId}${baseOf(event)}` },
    ...event.notes.map((note): Line => ({ tone: 'dim', text: `  ${note}` })),
  ],
  'lane.admitted': (event) => one('dim', `workspace ${event.path}, a new one for this pass`),
  'workspace.failed': (event) => one('bad', `workspace: ${faultOf(event)}`),
  'baseline.started': nothing,
  'baseline.judged': (event) =>
    event.verdicts.flatMap(({ step, check, verdict }) => verdictLines(`base: ${step}`, check, verdict)),
  'baseline.failed': (event) => one('bad', `base: ${faultOf(event)}`),
  'work.cancelling': (event) => one('dim', `  ${event.step} pass ${event.pass} is being ended`),
  'work.cancelled': nothing,
  'condition.started': nothing,
  'condition.judged': (event) => conditionLines(event),
  'attempt.started': (event) => one('plain', `▶ ${whereOf(event)}`),
  'attempt.finished': (event) => attemptLines(whereOf(event), event.result),
  'attempt.interrupted': (event) => one('warn', `  ${whereOf(event)} was interrupted: ${faultOf(event)}`),
  'recovery.started': nothing,
  'attempt.lost': (event) => one('warn', `  ${whereOf(event)} left no result: it starts again from the last snapshot`),
  'attempt.resumable': nothing,
  'checks.started': nothing,
  'check.judged': (event) => verdictLines(event.step, event.check, event.verdict),
  'checks.finished': nothing,
  'checks.interrupted': (event) => one('warn', `  checks of ${event.step} were interrupted: ${faultOf(event)}`),
  'step.succeeded': (event) => one('good', `✓ ${event.step}${event.note === undefined ? '' : `: ${event.note}`}`),
  'step.failed': (event) =>
    one(event.continued ? 'warn' : 'bad', `✗ ${event.step}: ${event.reason}${event.continued ? ' (goes on)' : ''}`),
  'step.reopened': (event) => one('warn', `  ${event.step} is judged again: ${event.reason}`),
  'step.skipped': (event) => one('dim', `- ${event.step} skipped: ${event.reason}`),
  'loop.fired': (event) => one('warn', event.message.startsWith('↺') ? event.message : `↺ ${event.message}`),
  'attempt.retried': (event) => one('warn', `  ${event.step} tries again (${event.kind}): ${event.reason}`),
  'step.pushed_back': (event) =>
    one('warn', `↺ ${event.by ?? 'somebody'} pushed back ${event.step}${saying(event.remark.comment)}`),
  'task.opening': nothing,
  'task.opened': (event) => taskLines(event.task, event),
  'task.failed': (event) => one('bad', `task ${event.task}: ${faultOf(event)}`),
  'task.decided': (event) => one('strong', decisionText(event)),
  'task.reminded': (event) => one('dim', `  ${event.step}: people were reminded (${event.count})`),
  'task.escalated': (event) => one('warn', `  ${event.step}: escalated${listed(event.to)}`),
  'task.expired': (event) => one('warn', `  ${event.step}: nobody decided in time`),
  'task.closed': (event) => one('dim', `  ${event.step}: the question is closed: ${event.reason}`),
  'list.expanding': nothing,
  'call.begun': (event) => one('plain', `▶ ${whereOf(event)}: ${childrenOf(event.items.length)}`),
  'call.failed': (event) => one('bad', `${event.step}: ${faultOf(event)}`),
  'call.collecting': nothing,
  'child.starting': nothing,
  'child.started': (event) => one('plain', `  ${event.step}: child run ${event.runId} started`),
  'child.settled': (event) => one('plain', `  ${event.step}: child run ${event.runId} ended: ${event.stop}`),
  'child.cancelling': (event) => one('dim', `  ${event.step}: child run ${event.runId} is being cancelled`),
  'child.told': nothing,
  'files.keeping': nothing,
  'files.kept': (event) => one('dim', `${event.files} files kept for the next run`),
  'files.failed': (event) => one('warn', `files for the next run could not be kept: ${faultOf(event)}`),
  'delivery.started': nothing,
  'delivery.finished': (event) => deliveryLines(event),
  'delivery.failed': (event) => one('bad', `delivery: ${faultOf(event)}`),
};

function byOf({ by }: { by?: string | undefined }): string {
  return by === undefined ? '' : ` by ${by}`;
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? '' : ` to ${names.join(', ')}`;
}

function childrenOf(count: number): string {
  return count === 1 ? 'one child run' : `${count} child runs`;
}

function raisedOf({ limits }: RunEventOf<'run.raised'>): string {
  const { passes, timeSeconds, deadlineSeconds, spendUsd } = limits;
  const parts = [
    passes === undefined ? [] : [`${passes} passes`],
    timeSeconds === undefined ? [] : [`${duration(timeSeconds * 1000)} of time`],
    deadlineSeconds === undefined ? [] : [`a deadline of ${duration(deadlineSeconds * 1000)}`],
    spendUsd === undefined ? [] : [`${spendUsd} USD`],
  ];
  return parts.flat().join(', ');
}

function one(tone: Tone, text: string): Line[] {
  return [{ tone, text }];
}

function whereOf(event: { step: string; pass: number; attempt: number }): string {
  const attempt = event.attempt > 1 ? `, attempt ${event.attempt}` : '';
  return `${event.step} pass ${event.pass}${attempt}`;
}

function faultOf(event: { fault: { code: string; message: string } }): string {
  return `${event.fault.message} (${event.fault.code})`;
}

function baseOf(event: RunEventOf<'workspace.opened'>): string {
  return event.base === undefined ? '' : `, base ${event.base.commit.slice(0, 10)}`;
}

function attemptLines(where: string, result: AttemptResult): Line[] {
  const facts = [endOf(result.end, result.exitCode), `in ${duration(result.durationMs)}`, spent(result.spend)];
  const agent = result.agent === undefined ? '' : ` (${result.agent})`;
  const text = `■ ${where}${agent}: ${facts.filter((fact) => fact !== '').join(', ')}`;
  const lines = one(result.end.kind === 'ok' ? 'plain' : 'warn', text);
  if (result.match !== undefined) {
    lines.push({
      tone: toneOf(result.match.kind),
      text: `  ${markOf(result.match.kind)} match: ${result.match.reason}`,
    });
  }
  return [...lines, ...findingLines(result.findings)];
}

function endOf(end: AttemptEnd, exitCode: number | undefined): string {
  switch (end.kind) {
    case 'ok':
      return 'done';
    case 'failed':
      return exitCode === undefined || end.reason.includes(String(exitCode))
        ? `failed: ${end.reason}`
        : `failed: ${end.reason} (exit ${exitCode})`;
    case 'timed_out':
      return `ran out of time after ${duration(end.afterSeconds * 1000)}`;
    case 'cancelled':
      return 'ended by us';
    case 'crashed':
    case 'overload':
      return `${end.kind}: ${end.reason}`;
    case 'quota':
      return `${end.reason}${end.resetAtMs === undefined ? ' (reset unknown)' : ` (resets ${isoOf(end.resetAtMs)})`}`;
    case 'refused':
      return `refused: ${end.reason}; ${end.remedy}`;
    default:
      return unreachable(end);
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

type VerdictKind = Verdict['kind'];

function markOf(kind: VerdictKind): string {
  return { pass: '✓', fail: '✗', missing: '?', error: '!' }[kind];
}

function toneOf(kind: VerdictKind): Tone {
  const tones = { pass: 'good', fail: 'bad', missing: 'bad', error: 'warn' } as const;
  return tones[kind];
}

/** The mark, the check and the line that a person reads first; `missing` and `error` are named, as they are no `fail`. */
function verdictLines(step: string, check: string, verdict: Verdict): Line[] {
  const text = `  ${markOf(verdict.kind)} ${step} · ${check}${verdictText(verdict)}`;
  return [{ tone: toneOf(verdict.kind), text }, ...findingLines(verdict.findings)];
}

function verdictText({ kind, evidence }: Verdict): string {
  switch (kind) {
    case 'pass':
    case 'fail':
      return `: ${evidence.summary}`;
    case 'missing':
      return ` missing: ${evidence.summary}`;
    case 'error':
      // The summary of a command begins with the same words, and would say them twice.
      return `: could not run: ${evidence.summary.replace(/^it could not run \((.*)\)$/, '$1')}`;
    default:
      return unreachable(kind);
  }
}

function findingLines(findings: readonly string[]): Line[] {
  return findings.map((finding) => ({ tone: 'warn', text: `    ${finding}` }));
}

function conditionLines(event: RunEventOf<'condition.judged'>): Line[] {
  const { outcome } = event;
  const what = outcome.kind === 'error' ? outcome.reason : `${sourceOf(outcome)}"${outcome.actual}"`;
  const tone = outcome.kind === 'error' ? 'warn' : 'dim';
  return one(tone, `  ${event.step} ${event.purpose}: ${outcome.kind}, ${what}`);
}

/** What it was compared with, where that is known. */
function sourceOf({ found }: RunEventOf<'condition.judged'>['outcome']): string {
  if (found === undefined) return 'got ';
  return `asked for "${found.expected}" of ${found.compareSource}, got `;
}

function deliveryLines(event: RunEventOf<'delivery.finished'>): Line[] {
  const { delivery } = event;
  if (delivery.nothingToDeliver) return one('dim', 'nothing to deliver: the tree equals the base');
  if (delivery.mode === 'none') return [];
  const commit = delivery.commit === undefined ? '' : ` ${delivery.commit.slice(0, 10)}`;
  return one('good', `delivered${commit}${delivery.branch === undefined ? '' : ` on branch ${delivery.branch}`}`);
}

function stopLines(event: RunEventOf<'run.stopped'>): Line[] {
  const { stop } = event;
  const code = stop.code === undefined || stop.code === stop.kind ? '' : ` (${stop.code})`;
  const tone = stop.kind === 'succeeded' ? 'good' : 'bad';
  const lines = one(tone, `${stop.kind}: ${stop.reason}${code}`);
  if (stop.remedy !== undefined) lines.push({ tone: 'warn', text: `  remedy: ${stop.remedy}` });
  return lines;
}

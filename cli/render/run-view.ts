import type { ForkPlace, RunListed } from '#core/contract/http.ts';
import type { Plan } from '#core/plan/plan.ts';
import { fold } from '#core/run/apply.ts';
import type { StoredEvent } from '#core/run/event.ts';

import { duration } from '#cli/render/amount.ts';
import { childLines, placeText } from '#cli/render/child-lines.ts';
import { eventLines } from '#cli/render/event-lines.ts';
import type { Line } from '#cli/render/line.ts';
import { limitLines } from '#cli/render/limit-lines.ts';
import { loopLines } from '#cli/render/loop-lines.ts';
import { closingLines, goOnLines, whyLines } from '#cli/render/outcome.ts';
import { openTaskLines, peopleLines } from '#cli/render/people-lines.ts';
import { advance, newProgress } from '#cli/render/progress.ts';

export interface RunView {
  listed: RunListed;
  plan: Plan;
  events: readonly StoredEvent[];
  children?: readonly RunListed[];
  /** The runs that were forked from it. */
  forks?: readonly ForkPlace[];
}

/**
 * What `setpoint show` says of a run at `nowMs` (epoch): head, the last attempt and verdicts of each step, its
 * child runs, who decided what, loops and limits with what is used of them, what is asked, what runs or is waited for, and how to go on. Pure.
 */
export function shownLines({ listed, plan, events, children = [], forks = [] }: RunView, nowMs: number): Line[] {
  const spanMs = Date.parse(listed.updatedAt) - Date.parse(listed.createdAt);
  const state = fold(
    plan,
    events.map(({ event }) => event),
  );
  const lines: Line[] = [
    { tone: 'strong', text: `${listed.name} (${listed.runId}, project ${listed.project})` },
    { tone: 'dim', text: `started ${listed.createdAt}, last change ${duration(spanMs)} later` },
    ...parentLines(listed),
    ...forkLines(listed, forks),
    ...lastPasses(events).flatMap((stored) => eventLines(stored.event)),
    ...headed('child runs', childLines(listed.runId, children)),
    ...headed('people', peopleLines(events)),
    ...headed('loops', loopLines(plan, state)),
    ...headed('limits', limitLines(plan, state, nowMs)),
  ];
  const { path } = state.workspace;
  const closed = path === null ? listed : { ...listed, workplace: { path, worktree: plan.workspace.worktree } };
  const asked = openTaskLines(state);
  const now = nowLines(events, nowMs);
  if (listed.summary.status === 'waiting' && asked.length > 0) return [...lines, ...closingLines(closed, asked)];
  if (listed.summary.status !== 'running' || now.length === 0) return [...lines, ...closingLines(closed), ...asked];
  return [...lines, ...now, ...asked, ...whyLines(listed.summary), ...goOnLines(listed)];
}

function parentLines({ parent }: RunListed): Line[] {
  if (parent === undefined) return [];
  return [{ tone: 'dim', text: `child run of ${parent.runId}, ${placeText(parent)}` }];
}

function headed(title: string, lines: readonly Line[]): Line[] {
  return lines.length === 0 ? [] : [{ tone: 'dim', text: title }, ...lines];
}

/** E8: where it comes from, and what goes on from it. */
function forkLines({ forkedFrom }: RunListed, forks: readonly ForkPlace[]): Line[] {
  const from = forkedFrom === undefined ? [] : [`forked from ${forkedFrom.runId} after ${passText(forkedFrom)}`];
  const to = forks.map((fork) => `forked into ${fork.runId} after ${passText(fork)}`);
  return [...from, ...to].map((text) => ({ tone: 'dim', text }));
}

function passText({ step, pass }: ForkPlace): string {
  return `${step}:${pass}`;
}

/** What each step does at `nowMs`, and for how long. */
function nowLines(events: readonly StoredEvent[], nowMs: number): Line[] {
  const progress = newProgress({ steps: [] });
  for (const { event } of events) advance(progress, event);
  return [...progress.running.values()].map(({ step, pass, doing, since }) => {
    const inPass = pass > 0 ? ` pass ${pass}` : '';
    const what = doing === 'works' ? '' : ` ${doing}`;
    return { tone: 'plain', text: `▶ ${step}${inPass}${what}, for ${duration(nowMs - since)}` };
  });
}

/** The finished attempts and verdicts of the last pass of each step, in the order in which they came. */
function lastPasses(events: readonly StoredEvent[]): StoredEvent[] {
  const passes = new Map<string, number>();
  for (const { event } of events) {
    if ('step' in event) passes.set(event.step, Math.max(passes.get(event.step) ?? 0, event.pass));
  }
  return events.filter(
    ({ event }) =>
      (event.type === 'attempt.finished' || event.type === 'check.judged') && event.pass === passes.get(event.step),
  );
}

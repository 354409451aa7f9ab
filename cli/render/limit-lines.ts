import type { Plan } from '#core/plan/plan.ts';
import { planNow } from '#core/run/plan-now.ts';
import { isWorking, type RunState } from '#core/run/state.ts';

import { duration, money } from '#cli/render/amount.ts';
import type { Line } from '#cli/render/line.ts';

/**
 * What a run has used of its limits at `nowMs` (epoch): active time, deadline, spend. A limit that the plan does not set
 * is told by what is used alone, and not at all while that is nothing. Passes are limits of loops: see `loopLines`. Pure.
 */
export function limitLines(original: Plan, state: RunState, nowMs: number): Line[] {
  const plan = planNow(original, state);
  return [...timeLines(plan, state, nowMs), ...deadlineLines(plan, state, nowMs), ...spendLines(plan, state)];
}

/** Above this share of a limit it is shown as a warning. */
const nearlyAll = 0.8;

function timeLines(plan: Plan, state: RunState, nowMs: number): Line[] {
  const since = isWorking(state) && state.stop === null ? Math.max(0, nowMs - state.now) : 0;
  const activeMs = state.activeMs + since;
  const limitMs = plan.limits.timeSeconds === undefined ? undefined : plan.limits.timeSeconds * 1000;
  if (limitMs === undefined) return activeMs === 0 ? [] : [dim(`  time      ${duration(activeMs)} of work, no limit`)];
  return [used(`  time      ${duration(activeMs)} of ${duration(limitMs)} of work`, activeMs / limitMs)];
}

/** It counts everything since the start or the last retry (E10); a run that has ended has none any more. */
function deadlineLines(plan: Plan, state: RunState, nowMs: number): Line[] {
  const { deadlineSeconds } = plan.limits;
  if (deadlineSeconds === undefined || state.countedFrom === 0 || state.stop !== null) return [];
  const limitMs = deadlineSeconds * 1000;
  const passedMs = nowMs - state.countedFrom;
  const at = new Date(state.countedFrom + limitMs).toISOString();
  const left = passedMs < limitMs ? `${duration(limitMs - passedMs)} left` : 'passed';
  return [used(`  deadline  ${at}, ${left}`, passedMs / limitMs)];
}

function spendLines(plan: Plan, { spend }: RunState): Line[] {
  const usd = spend.usd ?? 0;
  const about = spend.estimated ? 'about ' : '';
  const tokens = spend.inputTokens + spend.outputTokens;
  const inTokens = tokens === 0 ? '' : ` (${tokens} tokens)`;
  const limit = plan.limits.spendUsd;
  if (limit === undefined) {
    return usd === 0 && tokens === 0 ? [] : [dim(`  spend     ${about}${money(usd)}${inTokens}, no limit`)];
  }
  return [used(`  spend     ${about}${money(usd)} of ${money(limit)}${inTokens}`, usd / limit)];
}

function dim(text: string): Line {
  return { tone: 'dim', text };
}

function used(text: string, share: number): Line {
  return { tone: share >= nearlyAll ? 'warn' : 'plain', text };
}

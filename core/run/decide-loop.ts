import { unreachable } from '#core/exhaustive.ts';
import type { LoopPlan, OnExhausted, Plan, StepPlan } from '#core/plan/plan.ts';
import type { RunEvent, RunEventOf } from '#core/run/event.ts';
import { resetSet } from '#core/run/graph.ts';
import { letGo } from '#core/run/let-go.ts';
import { pause } from '#core/run/pause.ts';
import { conditionText, isMet } from '#core/run/repeat.ts';
import { type RunState, type StepState, stepOf } from '#core/run/state.ts';
import type { StopKind } from '#core/run/stop.ts';
import { isOtherwisePassed, shortStreaks } from '#core/run/streak.ts';
import { isMidPass } from '#core/run/workspace-lock.ts';

/** A loop that may fire: another pass, no progress (C8), or its limit is spent (C7). */
// One decision with all that it rests on; splitting it would only pass the same five things on.
// oxlint-disable-next-line max-params
export function loopOr(
  plan: Plan,
  state: RunState,
  step: StepPlan,
  loop: LoopPlan,
  problem: string | undefined,
): RunEvent {
  const now = stepOf(state, step.id);
  const progress = progressOf(state, step, now);
  const { noProgress } = plan.limits;
  const mustProgress = loop.on === 'fail' && loop.repeat === undefined && noProgress > 0;
  if (mustProgress && progress.repeats >= noProgress) return noProgressStop(state, step, progress.repeats);
  if (loop.limit !== null && now.loops >= loop.limit) return exhausted(state, step, loop, problem);
  const count = now.loops + 1;
  const { to, limit, inFlight } = loop;
  const fired = fireLoop(plan, state, step, { to, limit, inFlight, count });
  const prompt = isPass(loop, now, problem) ? loop.prompts?.pass : loop.prompts?.fail;
  const message = `${fired.message}${streakText(step, now)}`;
  const spoken = prompt === undefined ? {} : { prompt };
  return { ...fired, message, ...progress, ...waitBefore(state, loop, count), ...spoken };
}

/** Why another pass, where every check passed (B6). */
function streakText(step: StepPlan, now: StepState): string {
  if (!isOtherwisePassed(step, now)) return '';
  const short = shortStreaks(step, now).map(({ check, passed, of }) => `${check} passed ${passed} of ${of} in a row`);
  return short.length === 0 ? '' : `: ${short.join(', ')}`;
}

interface Fired {
  to: string;
  count: number;
  limit: number | null;
  inFlight: LoopPlan['inFlight'];
}

/** C2, C3: the target and everything after it begin their next pass, and so does the step itself. */
export function fireLoop(plan: Plan, state: RunState, step: StepPlan, fired: Fired): RunEventOf<'loop.fired'> {
  const { to, count, limit, inFlight } = fired;
  return {
    type: 'loop.fired',
    at: state.now,
    step: step.id,
    pass: stepOf(state, step.id).pass,
    to,
    count,
    limit,
    reset: inReset(plan, state, { step: step.id, to, inFlight }),
    fingerprint: '',
    repeats: 0,
    message: `↺ ${step.name} requested another pass: looping back to "${to}" (${ratio(count, limit)})`,
  };
}

/** C8. A pass whose only unmet check is a growing streak is progress (B6). */
function progressOf(state: RunState, step: StepPlan, now: StepState): { fingerprint: string; repeats: number } {
  const fingerprint = fingerprintOf(state, now);
  const grows = shortStreaks(step, now).length > 0 && isOtherwisePassed(step, now);
  return { fingerprint, repeats: !grows && now.seen.includes(fingerprint) ? now.repeats + 1 : 0 };
}

function ratio(count: number, limit: number | null): string {
  return limit === null ? `${count}` : `${count}/${limit}`;
}

/** C3: the verdict-steps dialect leaves steps that run, or wait within a pass they have begun, out of the reset set. */
function inReset(plan: Plan, state: RunState, from: { step: string; to: string; inFlight: string }): string[] {
  const all = resetSet(plan, from.step, from.to);
  return from.inFlight === 'cancel' ? all : all.filter((id) => id === from.step || !isMidPass(stepOf(state, id)));
}

/** C5: interval × backoff^(n−1), capped. */
function waitBefore(state: RunState, loop: LoopPlan, count: number): { notBefore?: number } {
  const { everySeconds, backoff, maxSeconds } = loop.wait;
  if (everySeconds === 0) return {};
  const seconds = Math.min(everySeconds * backoff ** (count - 1), maxSeconds ?? Number.MAX_SAFE_INTEGER / 1e6);
  return { notBefore: state.now + Math.round(seconds * 1000) };
}

/** C8: tree and HEAD (in the attempt's own), the checks' identity, outcomes and normalised findings. */
function fingerprintOf(state: RunState, now: StepState): string {
  return `${now.result?.fingerprint ?? ''}|${now.judgedFingerprint}|${state.workspace.snapshot?.tree ?? ''}`;
}

function noProgressStop(state: RunState, step: StepPlan, repeats: number): RunEvent {
  const reason = `Step "${step.name}" made no progress: the same tree and the same findings came back ${repeats} times.`;
  const remedy = 'Look at the feedback of its last pass; change the task or the checks, then retry the run.';
  return { type: 'run.ending', at: state.now, stop: { kind: 'no_progress', reason, remedy } };
}

/** C6: where a condition judged the pass, it says whether it passed. */
function isPass({ repeat }: LoopPlan, now: StepState, problem: string | undefined): boolean {
  return problem === undefined && (repeat === undefined || isMet(repeat, now));
}

/** C7. `succeed` never turns a failing pass into a success: there is no success without evidence (E1). */
export function exhausted(state: RunState, step: StepPlan, loop: LoopPlan, problem: string | undefined) {
  const spent = `(feedback loop limit of ${loop.limit ?? 0} reached)`;
  const now = stepOf(state, step.id);
  const reason = `${problem ?? stillAsks(loop, now)} ${spent}`;
  const action = actionWhenExhausted(loop, now);
  switch (action) {
    case 'succeed':
      if (problem === undefined) return succeeded(state, step, `exhausted ${spent}`);
      return failed(state, step, reason, loop.limitJudges === false ? 'failed' : 'exhausted');
    case 'fail':
      return failed(state, step, reason, 'exhausted');
    case 'ask':
    case 'pause':
      return pausedFor(state, step, loop, action, reason);
    default:
      return unreachable(action);
  }
}

/** D-04: a limit that does not judge leaves the word to the last attempt. C-08: a met condition has its own end. */
function actionWhenExhausted(loop: LoopPlan, now: StepState): OnExhausted {
  if (loop.limitJudges === false) return 'succeed';
  const met = loop.repeat !== undefined && isMet(loop.repeat, now);
  return met ? (loop.onExhaustedMet ?? loop.onExhausted) : loop.onExhausted;
}

function stillAsks({ repeat }: LoopPlan, now: StepState): string {
  if (repeat === undefined) return 'It still asks for another pass';
  return `Its condition is still ${isMet(repeat, now) ? 'met' : 'not met'}${conditionText(now)}`;
}

// The pause with all that it says.
// oxlint-disable-next-line max-params
function pausedFor(
  state: RunState,
  step: StepPlan,
  loop: LoopPlan,
  action: 'ask' | 'pause',
  reason: string,
): RunEventOf<'run.paused'> {
  const more = (loop.limit ?? 0) + 1 + Math.max(1, loop.limit ?? 0);
  const remedy = `setpoint raise ${state.runId} --passes ${more}`;
  const paused = pause(state, 'exhausted', `Step "${step.name}": ${reason}`, remedy);
  return { ...paused, loop: step.id, ...(action === 'ask' ? { ask: true } : {}) };
}

export function succeeded(state: RunState, step: StepPlan, note?: string): RunEventOf<'step.succeeded'> {
  const { pass } = stepOf(state, step.id);
  return { type: 'step.succeeded', at: state.now, step: step.id, pass, ...(note === undefined ? {} : { note }) };
}

export function failed(state: RunState, step: StepPlan, reason: string, stop: StopKind): RunEventOf<'step.failed'> {
  const { pass } = stepOf(state, step.id);
  const event = { type: 'step.failed' as const, at: state.now, step: step.id, pass, stop };
  return { ...event, ...letGo(step, stepOf(state, step.id), reason) };
}

import type { Plan } from '#core/plan/plan.ts';
import type { RunEvent } from '#core/run/event.ts';

/** What one pass of a step took. */
export interface PassCost {
  step: string;
  pass: number;
  attempts: number;
  /** Of its attempts and its reviews; null where nobody told. */
  usd: number | null;
  /** From the start of its first attempt to its last event. */
  durationMs: number;
  /** Names of checks that did not pass. */
  failed: string[];
}

/** Passes of steps that ask people are left out: they cost patience. */
export function passesOf(plan: Plan, events: readonly RunEvent[]): PassCost[] {
  const passes = new Map<string, PassCost & { beganAt: number }>();
  const people = new Set(plan.steps.flatMap(({ id, work }) => (work.kind === 'person' ? [id] : [])));
  for (const event of events) {
    if (!('step' in event) || !('pass' in event) || people.has(event.step)) continue;
    const key = `${event.step}#${event.pass}`;
    const known = passes.get(key);
    if (known === undefined && event.type !== 'attempt.started') continue;
    const pass = known ?? {
      step: event.step,
      pass: event.pass,
      attempts: 0,
      usd: null,
      durationMs: 0,
      failed: [],
      beganAt: event.at,
    };
    passes.set(key, pass);
    addTo(pass, event);
  }
  return [...passes.values()].map(({ beganAt: _beganAt, ...pass }) => pass);
}

function addTo(pass: PassCost & { beganAt: number }, event: RunEvent): void {
  pass.durationMs = Math.max(pass.durationMs, event.at - pass.beganAt);
  if (event.type === 'attempt.started') pass.attempts += 1;
  if (event.type === 'attempt.finished') pass.usd = sum(pass.usd, event.result.spend.usd);
  if (event.type === 'attempt.lost') pass.usd = sum(pass.usd, event.spend.usd);
  if (event.type === 'checks.finished') pass.usd = sum(pass.usd, event.spend?.usd);
  if (event.type === 'check.judged' && event.verdict.kind !== 'pass') pass.failed.push(event.check);
}

function sum(before: number | null, more: number | undefined): number | null {
  return more === undefined ? before : (before ?? 0) + more;
}

import type { CheckPlan } from '#core/check/check-plan.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { JudgeInput } from '#core/contract/activities.ts';
import { matchText } from '#activities/attempt/match-text.ts';
import { heardText } from '#activities/heard.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { digestOf } from '#activities/texts.ts';

/** A `match` check on the output of a step (A6). No output yet is no evidence: `missing`. */
export async function judgeMatch(
  deps: HostDeps,
  input: JudgeInput,
  check: Extract<CheckPlan, { kind: 'match' }>,
): Promise<Verdict> {
  const started = performance.now();
  const ref = input.scope.outputs[check.of];
  if (ref === undefined) return verdict('missing', `step ${check.of} has no output`, started);
  const patterns = {
    ...(check.pass === undefined ? {} : { pass: check.pass }),
    ...(check.fail === undefined ? {} : { fail: check.fail }),
  };
  const { kind, reason } = await matchText(patterns, await heardText(deps.artifacts, ref, input.heard?.[check.of]));
  return verdict(kind, reason, started);
}

function verdict(kind: Verdict['kind'], summary: string, started: number): Verdict {
  const durationMs = Math.round(performance.now() - started);
  return { kind, evidence: { summary, digest: digestOf(summary), durationMs }, findings: [] };
}

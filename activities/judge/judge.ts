import type { HardCheck } from '#core/check/check-plan.ts';
import { fewFindings } from '#core/check/few-findings.ts';
import { againstBase } from '#core/check/inherited.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { JudgeInput, JudgeResult } from '#core/contract/activities.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { guardFiles, guardName } from '#activities/judge/guard-files.ts';
import { judgeCommand } from '#activities/judge/judge-command.ts';
import { judgeMatch } from '#activities/judge/judge-match.ts';
import { judgeReport } from '#activities/judge/judge-report.ts';
import { judgeSchema } from '#activities/judge/judge-schema.ts';
import { persist } from '#activities/persist.ts';
import { asTask, type Task } from '#activities/task.ts';
import { digestOf } from '#activities/texts.ts';
import { setBack } from '#activities/workspace/set-back.ts';

/**
 * The hard checks of a pass in written order, all of them (B2), on the pinned snapshot (B3). Each verdict is stored as
 * it falls; a judging that a crash broke off takes up the stored ones and judges the rest.
 */
export function judge(deps: HostDeps, input: JudgeInput): Promise<JudgeResult> {
  const name = `${input.runId}/${input.step}#${input.pass}.judge${input.round}`;
  return asTask(deps, name, async (task) => {
    const again = task.tries > 1;
    if (again || input.restore) await putBack(deps, input, task);
    const fallen = again ? await persist(() => deps.verdicts.ofRound(input), task.signal) : new Map<string, Verdict>();
    const verdicts: JudgeResult['verdicts'] = [];
    if (input.guard)
      verdicts.push(await once(deps, input, task, { check: guardName, judge: () => guardFiles(input), fallen }));
    for (const check of input.checks) {
      if (check.needs === 'passed' && verdicts.some(({ verdict }) => verdict.kind !== 'pass')) continue;
      const judgeNow = async () => againstBase(await judgeCheck(deps, input, check, task), input.base?.[check.name]);
      verdicts.push(await once(deps, input, task, { check: check.name, judge: judgeNow, fallen }));
    }
    return { verdicts, fingerprint: fingerprintOf(verdicts) };
  });
}

/** What was under way when a crash came may have left its changes behind (B12), or the workspace was deleted. */
async function putBack(deps: HostDeps, { runId, snapshot, workspace }: JudgeInput, task: Task): Promise<void> {
  if (snapshot !== undefined) await setBack(deps, { runId, workspace, to: snapshot.commit }, task);
}

interface Judging {
  check: string;
  judge: () => Promise<Verdict>;
  fallen: ReadonlyMap<string, Verdict>;
}

async function once(deps: HostDeps, input: JudgeInput, task: Task, { check, judge: judgeNow, fallen }: Judging) {
  const stored = fallen.get(check);
  if (stored !== undefined) return { check, verdict: stored };
  const judged = await judgeNow();
  const verdict = { ...judged, findings: fewFindings(judged.findings) };
  return { check, verdict: await persist(() => deps.verdicts.put(input, check, verdict), task.signal) };
}

function judgeCheck(deps: HostDeps, input: JudgeInput, check: HardCheck, task: Task): Promise<Verdict> {
  switch (check.kind) {
    case 'command':
      return judgeCommand(deps, input, check, task);
    case 'match':
      return judgeMatch(deps, input, check);
    case 'schema':
      return judgeSchema(deps, input, check);
    case 'report':
      return judgeReport(deps, input, check);
    default:
      return unreachable(check);
  }
}

/** C8: the checks' identity, outcomes and normalised findings. */
function fingerprintOf(verdicts: JudgeResult['verdicts']): string {
  const facts = verdicts.map(({ check, verdict: { kind, evidence } }) => [check, kind, evidence.digest ?? '']);
  return digestOf(JSON.stringify(facts));
}

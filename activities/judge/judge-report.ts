import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CheckPlanOf } from '#core/check/check-plan.ts';
import { plainPath, readReport, reportShape, verdictOfReport, type ReportJudged } from '#core/check/report.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { JudgeInput } from '#core/contract/activities.ts';
import { oneLine } from '#core/text/quote.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { digestOf, putText } from '#activities/texts.ts';
import { hasPath } from '#infra/git/tree.ts';
import { errorCode } from '#infra/process/error-code.ts';

type ReportCheck = CheckPlanOf<'report'>;
type ReportInput = Pick<JudgeInput, 'reports' | 'snapshot' | 'workspace'>;

/** A `report` check (B7): what the agent wrote in this pass, and nothing older. No report is no evidence: `missing`. */
export async function judgeReport(
  deps: Pick<HostDeps, 'artifacts'>,
  input: ReportInput,
  check: ReportCheck,
): Promise<Verdict> {
  const started = performance.now();
  const { kind, summary, feedback } = await judged(deps, input, check);
  const { snapshot } = input;
  return {
    kind,
    evidence: {
      summary: oneLine(summary, mostCharacters),
      ...(feedback === '' ? {} : { feedback: await putText(deps.artifacts, feedback, []) }),
      ...(snapshot === undefined ? {} : { commit: snapshot.commit, tree: snapshot.tree }),
      digest: digestOf(`${summary}\n${feedback}`),
      durationMs: Math.round(performance.now() - started),
    },
    findings: [],
  };
}

const mostCharacters = 400;

async function judged(
  deps: Pick<HostDeps, 'artifacts'>,
  input: ReportInput,
  check: ReportCheck,
): Promise<ReportJudged> {
  const ref = input.reports?.[check.file];
  if (ref === undefined) {
    return { kind: 'missing', summary: `no ${check.file} was written in this pass`, feedback: reportShape };
  }
  const read = readReport(await deps.artifacts.readText(ref.sha256));
  return verdictOfReport(read, check, check.wants.kind === 'artifact' && (await holds(input, check.wants.path)));
}

/** Whether the judged work has something at a path. */
function holds({ snapshot, workspace }: ReportInput, written: string): Promise<boolean> {
  const path = plainPath(written);
  if (snapshot !== undefined) return hasPath({ repo: resolve(workspace.plan.repo), commit: snapshot.commit, path });
  return isThere(join(workspace.path, path));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

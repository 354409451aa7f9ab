import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckPlanOf } from '#core/check/check-plan.ts';
import { evidenceProblem, mergedReport, type TestReport } from '#core/check/test-report.ts';
import { normaliseText } from '#core/text/normalise.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { errorCode } from '#infra/process/error-code.ts';
import { readInside } from '#infra/sandbox/read-inside.ts';
import { readTestOutput, readTestReport } from '#infra/test-report/read-test-report.ts';

type Evidence = NonNullable<CheckPlanOf<'command'>['evidence']>;

const reportNames = /\.(?:xml|tap|json)$/i;
/** One more tells that there were more. */
const mostReports = 500;
const mostReportBytes = 8 * 1024 * 1024;
/** Of all reports of a check together; what is beyond is not read. */
const mostBytesTogether = 64 * 1024 * 1024;
/** Of a longer output its end: that is where tools sum up. */
const mostOutputBytes = 4 * 1024 * 1024;

/** The report files as they stand before the command runs: only what it writes itself is its evidence (B9). */
export type Stamps = ReadonlyMap<string, string>;

export async function stampsOf(root: string, evidence: Evidence | undefined): Promise<Stamps> {
  const stamps = new Map<string, string>();
  if (evidence?.file === undefined) return stamps;
  for (const path of await reportPaths(root, evidence.file)) {
    const stamp = await stampOf(join(root, path));
    if (stamp !== undefined) stamps.set(path, stamp);
  }
  return stamps;
}

interface Told {
  root: string;
  evidence: Evidence | undefined;
  before: Stamps;
  /** The command's whole output. */
  output: ArtifactRef;
}

/** What the command itself tells of the tests that it ran: by the report that it wrote, else by its output. */
export async function testsOf(deps: Pick<HostDeps, 'artifacts'>, told: Told): Promise<TestReport | undefined> {
  const { root, evidence, before, output } = told;
  if (evidence?.file === undefined) return placeless(root, readTestOutput(await endOf(deps, output)));
  const after = await stampsOf(root, evidence);
  const reports: TestReport[] = [];
  let left = mostBytesTogether;
  let isWhole = after.size <= mostReports;
  for (const [path, stamp] of after) {
    if (before.get(path) === stamp) continue;
    const read = await readInside(root, path, Math.min(mostReportBytes, left));
    if (read.kind === 'file') left -= read.bytes.length;
    const report = read.kind === 'file' ? readTestReport(read.bytes.toString('utf8'), root) : undefined;
    if (report !== undefined) reports.push(report);
    // Other tools leave JSON of their own in such folders.
    else if (read.kind === 'too_large' || !path.endsWith('.json')) isWhole = false;
  }
  const merged = mergedReport(reports);
  return placeless(root, isWhole ? merged : withoutNames(merged));
}

/** B11: of a report that could not be read nobody knows which tests failed, so none is compared by its name. */
function withoutNames(report: TestReport | undefined): TestReport | undefined {
  if (report === undefined) return undefined;
  const { failing: _failing, ...counts } = report;
  return counts;
}

/** A test is the same one in whichever checkout it ran (B11). */
function placeless(root: string, report: TestReport | undefined): TestReport | undefined {
  const failing = report?.failing?.map((name) => name.replaceAll(`${root}/`, ''));
  return report === undefined || failing === undefined ? report : { ...report, failing };
}

/** Why the evidence is not enough, in one line; undefined when it is, or when none is asked for. */
export function lackOf(evidence: Evidence | undefined, report: TestReport | undefined): string | undefined {
  if (evidence === undefined) return undefined;
  const problem = evidenceProblem(evidence, report);
  if (problem === undefined || report !== undefined || evidence.file === undefined) return problem;
  return `it wrote no test report that can be read to ${evidence.file}; at least ${evidence.tests} test(s) must have run`;
}

/** The file itself, or the reports in the folder. */
async function reportPaths(root: string, file: string): Promise<string[]> {
  try {
    const names = await readdir(join(root, file));
    const reports = names.filter((name) => reportNames.test(name)).toSorted();
    return reports.slice(0, mostReports + 1).map((name) => join(file, name));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOTDIR' || code === 'ENOENT') return [file];
    throw error;
  }
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { ino, ctimeNs, size } = await lstat(path, { bigint: true });
    return `${ino}:${ctimeNs}:${size}`;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}

async function endOf({ artifacts }: Pick<HostDeps, 'artifacts'>, { sha256, bytes }: ArtifactRef): Promise<string> {
  if (bytes === 0) return '';
  const parts: Buffer[] = [];
  for await (const part of await artifacts.read(sha256, { start: Math.max(0, bytes - mostOutputBytes) })) {
    parts.push(Buffer.from(part));
  }
  return normaliseText(Buffer.concat(parts).toString('utf8'));
}

import type { TestCount } from '#core/check/verdict.ts';
import { normaliseForFingerprint } from '#core/text/fingerprint.ts';
import { oneLine } from '#core/text/quote.ts';

/** What a test run came to (B9), whatever told it. */
export interface TestReport extends TestCount {
  /** What told it: `JUnit`, `TAP`, `vitest` … */
  format: string;
  /** Names of the failing tests; absent when the format tells no names, or not all. */
  failing?: string[];
}

/** Reports of several files are one. Their names are known only when every one of them tells its own. */
export function mergedReport(reports: readonly TestReport[]): TestReport | undefined {
  const [first, ...others] = reports;
  if (first === undefined) return undefined;
  return others.reduce<TestReport>((all, one) => {
    const { failing: _failing, ...counts } = all;
    const names =
      all.failing === undefined || one.failing === undefined ? {} : { failing: [...all.failing, ...one.failing] };
    return {
      ...counts,
      ran: all.ran + one.ran,
      failed: all.failed + one.failed,
      skipped: all.skipped + one.skipped,
      ...names,
    };
  }, first);
}

const longestName = 160;
const mostBytes = 6_000;

/**
 * The failing tests as they are compared with the base's (B11): normalised, each once, in order. Undefined when not every
 * failing test has a name, or when they do not fit into an event: a part of them would call the rest new.
 */
export function failingTests({ failing, failed }: TestReport): string[] | undefined {
  if (failing === undefined || failing.length < failed) return undefined;
  const names = [...new Set(failing.map((name) => oneLine(normaliseForFingerprint(name), longestName)))].toSorted();
  const size = names.reduce((sum, name) => sum + name.length * 3 + 4, 0);
  return size > mostBytes || names.includes('') ? undefined : names;
}

/** B9: why the evidence is not enough, in one line; undefined when it is. */
export function evidenceProblem(wanted: { tests: number }, report: TestReport | undefined): string | undefined {
  if (report === undefined) return `it gave no evidence of a test that ran; at least ${wanted.tests} must`;
  if (report.ran >= wanted.tests) return undefined;
  const skipped = report.skipped === 0 ? '' : `, ${report.skipped} skipped`;
  return `${report.ran} test(s) ran${skipped} (${report.format}); at least ${wanted.tests} must`;
}

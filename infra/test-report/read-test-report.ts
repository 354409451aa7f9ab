import type { TestReport } from '#core/check/test-report.ts';
import { readSummary } from '#core/check/test-summary.ts';
import { readJsonReport } from '#infra/test-report/read-json-report.ts';
import { readJunit } from '#infra/test-report/read-junit.ts';
import { isTap, readTap } from '#infra/test-report/read-tap.ts';

/** A report file (B9), known by its content; undefined when it is no report of a form that is known here. */
export function readTestReport(text: string, root: string): TestReport | undefined {
  const plain = text.replace(/^\uFEFF/, '').trimStart();
  if (plain.startsWith('<')) return readJunit(plain);
  if (plain.startsWith('{')) return readJsonReport(plain, root);
  return isTap(plain) ? readTap(plain) : undefined;
}

/** What a command's own output tells (B9): a TAP stream in it, else a summary that is known. Takes text of A9. */
export function readTestOutput(output: string): TestReport | undefined {
  return isTap(output) ? readTap(output) : readSummary(output);
}

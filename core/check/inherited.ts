import type { Verdict } from '#core/check/verdict.ts';
import { oneLine } from '#core/text/quote.ts';

/** What a check found on the base, as far as later verdicts of it are compared with that (B11). */
export type BaseFinding = Pick<Verdict['evidence'], 'exitCode' | 'digest' | 'failing'>;

const shownTests = 5;

/**
 * B11 under `newFailuresOnly`: a failure that the base has, too, is recorded and not held against the work. Where both tell
 * their failing tests by name, a test that fails now and did not fail there is new; else whatever differs is. A command that
 * ends with another exit code has found something else.
 */
export function againstBase(verdict: Verdict, base: BaseFinding | undefined): Verdict {
  if (verdict.kind !== 'fail' || base === undefined || verdict.evidence.exitCode !== base.exitCode) return verdict;
  const { evidence } = verdict;
  const fresh = newTests(evidence.failing, base.failing);
  const isInherited = fresh === undefined ? isSame(evidence.digest, base.digest) : fresh.length === 0;
  if (isInherited) return inherited(verdict);
  if (fresh === undefined)
    return { ...verdict, evidence: { ...evidence, summary: `${evidence.summary}, not as on the base` } };
  return { ...verdict, evidence: { ...evidence, summary: `${evidence.summary}; new since the base: ${told(fresh)}` } };
}

/** Undefined when one of them does not know its tests by name. */
function newTests(now: string[] | undefined, base: string[] | undefined): string[] | undefined {
  if (now === undefined || base === undefined || now.length === 0) return undefined;
  return now.filter((test) => !base.includes(test));
}

function isSame(digest: string | undefined, base: string | undefined): boolean {
  return digest !== undefined && digest === base;
}

function inherited(verdict: Verdict): Verdict {
  const { evidence } = verdict;
  const tests = evidence.failing ?? [];
  const what = tests.length === 0 ? evidence.summary : told(tests);
  return {
    kind: 'pass',
    evidence: { ...evidence, summary: `${evidence.summary}, as on the base`, inherited: true },
    findings: [...verdict.findings, `inherited: ${what}`],
  };
}

function told(tests: readonly string[]): string {
  const shown = tests.slice(0, shownTests).map((test) => oneLine(test, 160));
  const more = tests.length > shownTests ? [`${tests.length - shownTests} more`] : [];
  return [...shown, ...more].join(', ');
}

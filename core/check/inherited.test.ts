import { describe, expect, test } from 'vitest';

import { againstBase } from '#core/check/inherited.ts';
import type { Verdict } from '#core/check/verdict.ts';

function failing(failing: string[] | undefined, digest = 'd'): Verdict {
  const tests = failing === undefined ? {} : { failing };
  return { kind: 'fail', evidence: { summary: 'exit 1', exitCode: 1, digest, durationMs: 1, ...tests }, findings: [] };
}
const judge = (now: Verdict, base: Verdict) => againstBase(now, base.evidence);

describe('B11: newFailuresOnly', () => {
  test('B11, R009: a test that already failed on the base is recorded and not held against the work', () => {
    const { kind, evidence, findings } = judge(
      failing(['old.test'], 'now'),
      failing(['old.test', 'older.test'], 'then'),
    );
    expect({ kind, findings }).toEqual({ kind: 'pass', findings: ['inherited: old.test'] });
    expect(evidence).toMatchObject({ summary: 'exit 1, as on the base', inherited: true, failing: ['old.test'] });
  });

  test('B11: a test that fails now and did not fail there is new, and named', () => {
    const { kind, evidence } = judge(failing(['new.test', 'old.test']), failing(['old.test']));
    expect(kind).toBe('fail');
    expect(evidence.summary).toBe('exit 1; new since the base: new.test');
  });

  test('B11: without names the same findings are inherited, and all else is new', () => {
    expect(judge(failing(undefined), failing(undefined)).kind).toBe('pass');
    expect(judge(failing(undefined, 'other'), failing(undefined)).kind).toBe('fail');
    expect(judge(failing(['old.test'], 'other'), failing(undefined)).kind).toBe('fail');
    expect(judge(failing([], 'other'), failing(['old.test'])).kind).toBe('fail');
  });

  test('B11: another exit code is another failure', () => {
    const crashed = failing(['old.test']);
    crashed.evidence.exitCode = 134;
    expect(judge(crashed, failing(['old.test'])).kind).toBe('fail');
  });

  test.each(['missing', 'error', 'pass'] as const)('B11: %s stays what it is', (kind) => {
    const verdict = { ...failing(undefined), kind };
    expect(judge(verdict, failing(undefined))).toBe(verdict);
  });

  test('B11: what passed on the base, or was not asked there, has nothing to inherit', () => {
    expect(againstBase(failing(['old.test']), undefined).kind).toBe('fail');
  });
});

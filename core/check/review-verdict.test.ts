import { describe, expect, test } from 'vitest';

import { readReview, type ReviewRead } from '#core/check/review-answer.ts';
import { repairedRead, verdictOfReview } from '#core/check/review-verdict.ts';

const finding = { criterion: 'Every function is tested', evidence: 'a.ts:3\nhas none' };
const answerOf = (changes: object) => ({ passed: false, summary: 's', blockingFindings: [finding], ...changes });
const read = (changes: object): ReviewRead => readReview(JSON.stringify(answerOf(changes)), '');
const unclear = readReview('Looks good to me.', '');
const unfounded = read({ blockingFindings: [] });
const passed = read({ passed: true, blockingFindings: [], advisories: ['a\nb', 'c'.repeat(400)] });

describe('B5: the verdict of a review', () => {
  test('B5: the blocking findings are the feedback, with criterion and evidence', () => {
    const { kind, summary, feedback } = verdictOfReview(read({ summary: 'One\nthing.' }));
    expect({ kind, summary }).toEqual({ kind: 'fail', summary: 'One thing.' });
    expect(feedback).toBe('1. Every function is tested\n   Evidence: a.ts:3\nhas none');
  });

  test('B5: advisories are told in one line each and are no feedback', () => {
    const { kind, feedback, advisories } = verdictOfReview(passed);
    expect({ kind, feedback }).toEqual({ kind: 'pass', feedback: '' });
    expect(advisories[0]).toBe('a b');
    expect(advisories[1]).toHaveLength(300);
  });

  test('B5: a finding blocks although the answer says passed, and the summary says so', () => {
    const { kind, summary } = verdictOfReview(read({ passed: true }));
    expect({ kind, summary }).toEqual({ kind: 'fail', summary: 'it says passed, but a finding blocks: s' });
  });

  test('B5: after the repair question no verdict is an error, and a refusal without a finding a failure', () => {
    expect(verdictOfReview(repairedRead(unclear, unclear)).kind).toBe('error');
    expect(verdictOfReview(repairedRead(unclear, unfounded)).kind).toBe('fail');
    expect(verdictOfReview(repairedRead(unfounded, unclear)).kind).toBe('fail');
    expect(verdictOfReview(repairedRead(unfounded, unfounded)).kind).toBe('fail');
    expect(verdictOfReview(repairedRead(unclear, passed)).kind).toBe('pass');
  });

  test('C10: findings are the same whatever their order, case, spaces and times', () => {
    const other = { criterion: 'Quick', evidence: 'took 12 ms' };
    const one = verdictOfReview(read({ blockingFindings: [finding, other] })).normalised;
    const same = { criterion: 'quick', evidence: 'took  340 ms' };
    expect(verdictOfReview(read({ blockingFindings: [same, finding] })).normalised).toBe(one);
    expect(verdictOfReview(read({ blockingFindings: [finding] })).normalised).not.toBe(one);
  });
});

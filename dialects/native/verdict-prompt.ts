/** `verdict: approve` (V-31): what the reviewer is asked for, appended to the step's own prompt. */
export const verdictRequest = `Do not change any file. End your answer with exactly one line, and nothing after it:
VERDICT: APPROVE
if the work may go on, or
VERDICT: CHANGES_REQUESTED
if it may not, and list above that line each required change with its place and reason.`;

/** What is reviewed when the step has no prompt of its own. */
export const reviewRequest = 'Review the changes in this repository against its base for mistakes and omissions.';

/**
 * Patterns for it (A6): the verdict stands alone on its line, so neither `APPROVED WITH…`, `not approved` nor a
 * sentence that names both can match, and only the last verdict counts. One requested change outweighs an approval.
 */
export const verdictPatterns = {
  pass: '^[ \\t>*_`]*VERDICT:[ \\t]*APPROVE[ \\t*_`.]*$(?![\\s\\S]*VERDICT:)',
  fail: '^[ \\t>*_`]*VERDICT:[ \\t]*CHANGES_REQUESTED\\b',
} as const;

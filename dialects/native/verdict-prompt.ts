/** `verdict: approve` (V-31): what the reviewer is asked for, appended to the step's own prompt. */
export const verdictRequest = `Do not change any file. If changes are needed, list each one with its place and its reason.
End your answer with exactly one line, either \`VERDICT: APPROVE\` or \`VERDICT: CHANGES_REQUESTED\`, and write nothing after it.`;

/** What is reviewed when the step has no prompt of its own. */
export const reviewRequest = 'Review the changes in this repository against its base for mistakes and omissions.';

/**
 * Patterns for it (A6): the verdict stands alone on its line, so neither `APPROVED WITH…`, `not approved` nor a
 * sentence that names both can match, nor the request itself when an agent repeats it, nor a quoted line. Only the last
 * verdict counts, and one requested change outweighs an approval.
 */
export const verdictPatterns = {
  pass: '^[ \\t*_`]*VERDICT:[ \\t]*APPROVE[ \\t*_`.]*$(?![\\s\\S]*VERDICT:)',
  fail: '^[ \\t*_`]*VERDICT:[ \\t]*CHANGES_REQUESTED\\b',
} as const;

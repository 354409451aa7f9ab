import type { MatchOutcome } from '#core/run/attempt-result.ts';

/** How one pattern fared on a text; `timeout` and `invalid` could not be judged. */
export type PatternOutcome = 'match' | 'no_match' | 'timeout' | 'invalid';

interface PatternTried {
  pattern: string;
  outcome: PatternOutcome;
}

export interface PatternsTried {
  pass?: PatternTried;
  fail?: PatternTried;
  /** Empty output never passes a pass pattern. */
  empty: boolean;
}

/** A6: `fail` first; with both, pass = fail does not match and pass matches. */
export function judgePatterns({ pass, fail, empty }: PatternsTried): MatchOutcome {
  for (const tried of [fail, pass]) {
    if (tried?.outcome === 'timeout') return error(tried.pattern, 'took too long on this output');
    if (tried?.outcome === 'invalid') return error(tried.pattern, 'is no valid regular expression');
  }
  if (fail?.outcome === 'match') {
    return { kind: 'fail', reason: `Verdict: output matched fail pattern /${fail.pattern}/` };
  }
  if (pass !== undefined && (empty || pass.outcome === 'no_match')) {
    return { kind: 'fail', reason: `Verdict: output did not match pass pattern /${pass.pattern}/` };
  }
  return { kind: 'pass', reason: 'The output matched as asked.' };
}

/** Of several patterns one is enough; only where none matches does one that could not be judged count (`error`). */
export function judgeAny(tried: readonly PatternTried[]): MatchOutcome {
  const matched = tried.find(({ outcome }) => outcome === 'match');
  if (matched !== undefined) return { kind: 'pass', reason: `The output matched /${matched.pattern}/.` };
  for (const { pattern, outcome } of tried) {
    if (outcome === 'timeout') return error(pattern, 'took too long on this output');
    if (outcome === 'invalid') return error(pattern, 'is no valid regular expression');
  }
  return { kind: 'fail', reason: 'The output matched none of the patterns.' };
}

function error(pattern: string, why: string): MatchOutcome {
  return { kind: 'error', reason: `The pattern /${pattern}/ ${why}.` };
}

/** What the stand-in does in each pass (`$pass` counts from 1), and what it says when it is asked to judge. */
export interface FakeClaude {
  /** Shell; it runs in the workspace. */
  work: string;
  judge?: { passed: boolean; summary: string };
  /** What each answer cost; 0.01 by default. */
  usd?: number;
}

/**
 * A stand-in for the CLI of claude: it keeps each prompt, with its arguments, as `~/asked-N`, does its work, and answers
 * with a session: the one that it is told to resume, or its own. A prompt that asks for a verdict is answered with one, and
 * nothing else is done.
 */
export function fakeClaude({ work, judge = { passed: true, summary: 'Fine.' }, usd = 0.01 }: FakeClaude): string {
  const verdict = JSON.stringify({ ...judge, blockingFindings: [], advisories: [], evidence: ['seen'] });
  return `#!/bin/sh
prompt=$(cat)
say() { printf '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"session_id":"%s","total_cost_usd":${usd},"result":%s}\\n' "$session" "$1"; }
session=the-judge
case "$prompt" in
  *blockingFindings*) say '${JSON.stringify(verdict)}'; exit 0;;
esac
pass=$(( $(ls ~ | grep -c '^asked-') + 1 ))
printf '%s\\n%s\\n' "$*" "$prompt" > ~/"asked-$pass"
session=the-session
case "$pass $*" in 1\\ *|*--resume=*) ;; *) session="session-$pass";; esac
${work}
say '"Done."'
`;
}

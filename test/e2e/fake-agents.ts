import { join } from 'node:path';
import { writeFiles } from './repository.ts';

/** What a stand-in does in each pass (`$pass` counts from 1), in shell, in the workspace; `$said` is its final answer. */
export type Work = string;

/** Each keeps what it was asked as `~/asked-N`, its arguments first. */
function agent(work: Work, answer: string): string {
  return `#!/bin/sh
prompt=$(cat)
pass=$(( $(ls ~ | grep -c '^asked-') + 1 ))
printf '%s\\n%s\\n' "$*" "$prompt" > ~/"asked-$pass"
said=Done.
${work}
${answer}
`;
}

/** A stand-in for the CLI of codex, to be written into a repository as `fake-codex`. */
export function fakeCodex(work: Work): string {
  const usage = '{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5}';
  return agent(
    work,
    `printf '{"type":"thread.started","thread_id":"the-thread"}\\n'
printf '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"%s"}}\\n' "$said"
printf '{"type":"turn.completed","usage":${usage}}\\n'`,
  );
}

/** A stand-in for the CLI of pi, to be written into a repository as `fake-pi`. */
export function fakePi(work: Work): string {
  const usage = '{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.01}}';
  return agent(
    work,
    `printf '{"type":"session","id":"the-session"}\\n'
printf '{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"%s"}],"stopReason":"stop","usage":${usage}}}\\n' "$said"
printf '{"type":"agent_end"}\\n'`,
  );
}

/** Settings by which a stack finds the stand-ins: programs in `folder` that do what the repository's own files say. */
export function fakeAgentSettings(folder: string): Record<string, string> {
  const names = ['codex', 'pi'];
  writeFiles(
    join(folder, 'bin'),
    Object.fromEntries(names.map((name) => [`fake-${name}`, `#!/bin/sh\nexec ./fake-${name} "$@"\n`])),
  );
  return Object.fromEntries(
    names.map((name) => [`SETPOINT_AGENT_${name.toUpperCase()}`, join(folder, 'bin', `fake-${name}`)]),
  );
}

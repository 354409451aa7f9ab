import type { AgentReport } from '#core/agent/outcome.ts';
import type { ParserOptions, StreamParser } from '#activities/agents/adapter.ts';
import { agentError } from '#activities/agents/stream/error-signal.ts';
import { textProgress } from '#activities/agents/stream/event-stream.ts';
import { present } from '#activities/agents/stream/present.ts';

/** The recorded output of a text harness is the tail of its stdout; the whole is in the artifact (A5). */
const tailCharacters = 256 * 1024;

/**
 * The last line of a failed harness, when it *is* the provider's refusal. Anything less strict would park
 * a healthy run because its ordinary output speaks about limits (E6).
 */
const limitLine =
  /^\W*(?:(?:api )?error:?\s*)?(?:you(?:'|’)ve (?:hit|reached) your .*limit|.{0,40}\busage limit reached|limit reached)\b/i;

/** A parser of plain text: no events, so no session, no usage and no terminal event. */
export function textStreamParser({ now }: ParserOptions): StreamParser {
  let tail = '';
  return {
    push: (chunk) => {
      tail = (tail + chunk).slice(-tailCharacters);
      return textProgress(chunk);
    },
    end: (exit, stderr): AgentReport => {
      const refused = exit.exitCode === null || exit.exitCode === 0 ? undefined : limitMessage(tail, stderr);
      return present({
        finalText: tail,
        terminalEvent: 'none_expected' as const,
        error: refused === undefined ? undefined : agentError({ message: refused, class: 'quota' }, now()),
        denials: [],
        permissionStop: false,
      });
    },
  };
}

function limitMessage(stdout: string, stderr: string): string | undefined {
  return [stderr, stdout].map(lastLine).find((line) => limitLine.test(line));
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

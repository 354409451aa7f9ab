import type { Condition, ConditionOutcome } from '#core/check/condition.ts';
import { unreachable } from '#core/exhaustive.ts';
import { head } from '#core/text/tail.ts';

/** What a condition's command gave; texts are normalised (A9). */
export interface CommandGave {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * A7, for a command that ran to its end: met or unmet, with what was compared. A pattern is judged by the host, which can
 * end it; `matches` says how that went.
 */
export function compare(condition: Condition, gave: CommandGave, matches?: boolean): ConditionOutcome {
  const { actual, met } = judge(condition, gave);
  const holds = matches ?? met;
  return { kind: holds === (condition.negate === true) ? 'unmet' : 'met', actual: head(actual, 500) };
}

/** The text that `by: line` and `by: pattern` read. */
export function comparedText({ compare: source }: Condition, { stdout, stderr }: CommandGave): string {
  return source === 'stderr' ? stderr : stdout;
}

function judge(condition: Condition, gave: CommandGave): { actual: string; met: boolean } {
  const { compare: source, returns, by } = condition;
  if (by !== undefined) return hasLine(comparedText(condition, gave), returns);
  switch (source) {
    case 'stdout':
      return equal(gave.stdout.trim(), returns);
    case 'stderr':
      return equal(gave.stderr.trim(), returns);
    case 'exitCode':
      return equal(String(gave.exitCode), returns);
    case 'auto':
      return auto(returns, gave);
    default:
      return unreachable(source);
  }
}

function auto(returns: string, gave: CommandGave): { actual: string; met: boolean } {
  const wanted = returns.trim();
  if (wanted === 'true' || wanted === 'false') return equal(String(gave.exitCode === 0), wanted);
  if (/^-?\d+$/.test(wanted)) return { actual: String(gave.exitCode), met: gave.exitCode === Number(wanted) };
  return equal(gave.stdout.trim(), returns);
}

function hasLine(text: string, returns: string): { actual: string; met: boolean } {
  const wanted = returns.trim();
  return { actual: text.trim(), met: text.split('\n').some((line) => line.trim() === wanted) };
}

function equal(actual: string, returns: string): { actual: string; met: boolean } {
  return { actual, met: actual === returns.trim() };
}

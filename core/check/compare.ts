import type { Condition, ConditionOutcome } from '#core/check/condition.ts';
import { unreachable } from '#core/exhaustive.ts';
import { head } from '#core/text/tail.ts';

/** What a condition's command gave; texts are normalised (A9). */
export interface CommandGave {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** A7, for a command that ran to its end: met or unmet, with what was compared. */
export function compare(condition: Condition, gave: CommandGave): ConditionOutcome {
  const { actual, met } = judge(condition, gave);
  return { kind: met ? 'met' : 'unmet', actual: head(actual, 500) };
}

function judge({ compare: source, returns }: Condition, gave: CommandGave): { actual: string; met: boolean } {
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

function equal(actual: string, returns: string): { actual: string; met: boolean } {
  return { actual, met: actual === returns.trim() };
}

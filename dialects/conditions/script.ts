import type { Condition } from '#core/check/condition.ts';
import { literalTemplate } from '#core/template/literal.ts';
import type { At } from '#dialects/native/at.ts';
import { hasKey } from '#dialects/native/parts.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import type { ShapeOf } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';
import { integer, text, textOrEmpty, word } from '#dialects/source/scalars.ts';

const longestMs = 86_400_000;
const defaultMs = 60_000;

/** What a condition asks, before a step and after it: a script, and what it must give (C-02, C-11). */
export const scriptShape = {
  script: text,
  returns: textOrEmpty,
  compareSource: word(['stdout', 'stderr', 'exitCode', 'auto']),
  timeout: integer(1, longestMs),
} as const;

/** The condition; undefined when something that it needs is missing, which is an issue. */
export function conditionOf(read: ShapeOf<typeof scriptShape>, node: SourceNode, at: At): Condition | undefined {
  const { script, returns, compareSource: compare = 'auto', timeout = defaultMs } = read;
  reportMissing(node, at);
  if (returns !== undefined) reportExitCode(returns, compare, at);
  if (script === undefined || returns === undefined) return undefined;
  return { command: literalTemplate(script), compare, returns, timeSeconds: timeout / 1000 };
}

function reportMissing(node: SourceNode, { path, reading }: At): void {
  if (!hasKey(node, 'script')) {
    reading.report(path, 'definition/missing', 'a condition needs a `script`: the command that is run');
  }
  if (!hasKey(node, 'returns')) {
    const message = 'a condition needs `returns`: what the script must give, such as `"true"` for exit 0';
    reading.report(path, 'definition/missing', message);
  }
}

/** A14: no process exits with anything else than 0 to 255, so a condition that waits for it would never hold. */
function reportExitCode(returns: string, compare: Condition['compare'], { path, reading }: At): void {
  const wanted = returns.trim();
  const isNumber = /^-?\d+$/.test(wanted);
  if (compare !== 'exitCode' && !(compare === 'auto' && isNumber)) return;
  const isCode = /^(?:0|[1-9]\d{0,2})$/.test(wanted) && Number(wanted) <= 255;
  if (isCode) return;
  const source = compare === 'auto' ? '; a text that is a number is compared with `compareSource: stdout`' : '';
  const message = `\`returns\` is compared with the exit code, a whole number from 0 to 255, not \`${wanted.slice(0, 80)}\`${source}`;
  reading.report(below(path, 'returns'), 'definition/out-of-range', message);
}

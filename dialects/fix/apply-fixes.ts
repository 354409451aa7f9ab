import type { Finding } from '#core/doctor/finding.ts';
import type { Examined } from '#dialects/examine-text.ts';
import { examineText } from '#dialects/examine-text.ts';
import { editText } from '#dialects/fix/edit-text.ts';
import type { CompilingSettings, DefinitionText } from '#dialects/parse.ts';

export interface Fixed {
  text: string;
  /** What was mended, in the order in which it was. */
  mended: Finding[];
}

/** A finding that is mended may uncover the next; more rounds than a file has findings are none. */
const mostRounds = 200;

/**
 * Writes every mechanical mend into a text, one after the other. An edit is kept only when the text then compiles, the
 * finding is gone and no other has come; comments and layout stay. The text that comes out gives nothing more to mend.
 */
export function applyFixes(source: DefinitionText & CompilingSettings): Fixed {
  const fixed: Fixed = { text: source.text, mended: [] };
  for (let round = 0; round < mostRounds; round += 1) {
    const next = mendOne({ ...source, text: fixed.text });
    if (next === undefined) return fixed;
    fixed.text = next.text;
    fixed.mended.push(next.finding);
  }
  return fixed;
}

function mendOne(source: DefinitionText & CompilingSettings): { text: string; finding: Finding } | undefined {
  const before = examineText(source);
  if (before.kind === 'issues') return undefined;
  for (const finding of before.findings) {
    const { fix } = finding;
    if (fix === undefined) continue;
    const text = editText(source.text, fix, before.document.pathInDocument(fix.path));
    if (text === undefined || text === source.text) continue;
    if (isBetter(before, examineText({ ...source, text }), finding)) return { text, finding };
  }
  return undefined;
}

function isBetter(before: Extract<Examined, { kind: 'plan' }>, after: Examined, mended: Finding): boolean {
  if (after.kind === 'issues') return false;
  const left = countsOf(before.findings);
  left.set(keyOf(mended), (left.get(keyOf(mended)) ?? 0) - 1);
  const now = countsOf(after.findings);
  return now.size <= left.size && [...now].every(([key, count]) => count <= (left.get(key) ?? 0));
}

function countsOf(findings: readonly Finding[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const finding of findings) counts.set(keyOf(finding), (counts.get(keyOf(finding)) ?? 0) + 1);
  return counts;
}

function keyOf({ rule, loop = '' }: Finding): string {
  return `${rule} ${loop}`;
}

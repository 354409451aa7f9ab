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

type Source = DefinitionText & CompilingSettings;
type Diagnosis = Extract<Examined, { kind: 'plan' }>;

/**
 * Writes every mechanical mend into a text. An edit is kept only when the text then compiles, the finding is gone and no
 * other has come; comments and layout stay. The text that comes out gives nothing more to mend.
 */
export function applyFixes(source: Source): Fixed {
  const fixed: Fixed = { text: source.text, mended: [] };
  for (;;) {
    const current = { ...source, text: fixed.text };
    const diagnosis = examineText(current);
    if (diagnosis.kind === 'issues') return fixed;
    const next = mendAll(current, diagnosis) ?? mendOne(current, diagnosis);
    // Each round leaves fewer findings than it found, so there is a last one.
    if (next === undefined) return fixed;
    fixed.text = next.text;
    fixed.mended.push(...next.mended);
  }
}

/** All at once, which is what a file nearly always allows. */
function mendAll(source: Source, diagnosis: Diagnosis): Fixed | undefined {
  const fixed: Fixed = { text: source.text, mended: [] };
  for (const finding of diagnosis.findings) {
    const text = mend(fixed.text, finding, diagnosis);
    if (text === undefined) continue;
    fixed.text = text;
    fixed.mended.push(finding);
  }
  if (fixed.mended.length === 0) return undefined;
  return isBetter(diagnosis, examineText({ ...source, text: fixed.text }), fixed.mended) ? fixed : undefined;
}

/** One mend may stand in the way of another. */
function mendOne(source: Source, diagnosis: Diagnosis): Fixed | undefined {
  for (const finding of diagnosis.findings) {
    const text = mend(source.text, finding, diagnosis);
    if (text === undefined) continue;
    if (isBetter(diagnosis, examineText({ ...source, text }), [finding])) return { text, mended: [finding] };
  }
  return undefined;
}

function mend(text: string, { fix }: Finding, { document }: Diagnosis): string | undefined {
  const edited = fix === undefined ? undefined : editText(text, fix, document.pathInDocument(fix.path));
  return edited === text ? undefined : edited;
}

function isBetter(before: Diagnosis, after: Examined, mended: readonly Finding[]): boolean {
  if (after.kind === 'issues') return false;
  const left = countsOf(before.findings);
  for (const finding of mended) left.set(keyOf(finding), (left.get(keyOf(finding)) ?? 0) - 1);
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

import { hasKey } from '#dialects/native/parts.ts';
import type { Field } from '#dialects/source/reading.ts';
import { below, mapping } from '#dialects/source/reading.ts';
import { text } from '#dialects/source/scalars.ts';

const most = 1_000_000;

/** `">=1"` or `1`: at least so many. */
const atLeast: Field<number> = (node, path, reading) => {
  const takes = 'how many tests must have run, such as `">=1"`';
  if (node.kind !== 'scalar') return reading.reportType(node, path, takes);
  const [, digits] = /^(?:>=\s*)?([1-9]\d{0,6})$/.exec(node.text.trim()) ?? [];
  const least = Number(digits);
  return digits === undefined || least > most ? reading.reportType(node, path, takes) : least;
};

const evidenceMapping = mapping({ tests: atLeast, file: text });

/** `{tests: ">=1", file}`: the tests that must have run (B9). */
export const evidence: Field<{ tests: number; file?: string }> = (node, path, reading) => {
  const read = evidenceMapping(node, path, reading);
  if (read === undefined) return undefined;
  if (read.tests !== undefined) return { ...read, tests: read.tests };
  if (!hasKey(node, 'tests')) {
    const message = '`evidence` needs `tests`: how many tests must have run, such as `">=1"`';
    reading.report(below(path, 'tests'), 'definition/missing', message);
  }
  return undefined;
};

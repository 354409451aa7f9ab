import { examineText } from '#dialects/examine-text.ts';

import type { DefinitionFile } from '#cli/commands/definition-file.ts';
import { findingLines } from '#cli/doctor/doctor-text.ts';

/** What the doctor says about a definition that was just made; undefined when it finds nothing. */
export function doctorNote({ file, text }: DefinitionFile): string | undefined {
  const examined = examineText({ file, text, unknownCalls: 'warning' });
  if (examined.kind === 'issues' || examined.findings.length === 0) return undefined;
  const lines = examined.findings.flatMap((finding) => findingLines(file, finding));
  return lines
    .map((line) => line.text)
    .join('\n')
    .trimEnd();
}

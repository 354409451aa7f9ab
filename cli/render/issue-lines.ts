import type { Issue } from '#core/issue/issue.ts';

/** `file:line:col code message` an issue, in the order of the file; the path stands in for a line that is not known. */
export function issueLines(file: string, issues: readonly Issue[]): string[] {
  return [...issues].toSorted(byPlace).map((issue) => {
    const place = issue.line === undefined ? '' : `:${issue.line}:${issue.column ?? 1}`;
    const path = issue.line === undefined && issue.path !== '' ? ` (at ${issue.path})` : '';
    const severity = issue.severity === 'warning' ? 'warning ' : '';
    return `${file}${place} ${severity}${issue.code} ${issue.message}${path}`;
  });
}

function byPlace(a: Issue, b: Issue): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

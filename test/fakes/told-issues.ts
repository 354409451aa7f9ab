import type { Issue } from '#core/issue/issue.ts';
import { compileText } from '#dialects/parse.ts';

/** The issues of a text; `tookMs` is the least of a few tries, in time or in work of the processor, so that a busy machine fails nothing. */
export function told(text: string): { issues: Issue[]; tookMs: number } {
  let tookMs = Number.POSITIVE_INFINITY;
  let issues: Issue[] = [];
  for (let tries = 0; tries < 4 && tookMs >= 1000; tries += 1) {
    const [began, worked] = [performance.now(), process.cpuUsage()];
    const result = compileText({ text });
    const { user, system } = process.cpuUsage(worked);
    tookMs = Math.min(tookMs, performance.now() - began, (user + system) / 1000);
    issues = result.kind === 'plan' ? [] : result.issues;
  }
  return { issues, tookMs };
}

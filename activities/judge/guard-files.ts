import { resolve } from 'node:path';
import type { Verdict } from '#core/check/verdict.ts';
import type { JudgeInput } from '#core/contract/activities.ts';
import { digestOf } from '#activities/texts.ts';
import { protectedChanges } from '#infra/git/diff.ts';

/** The name under which the protected files are judged, beside the plan's own checks. */
export const guardName = 'protected files';

/** B4: a change to a file that a check rests on, against the base, fails the pass. */
export async function guardFiles(input: JudgeInput): Promise<Verdict> {
  const started = performance.now();
  const { workspace, snapshot } = input;
  if (workspace.base === undefined || snapshot === undefined) throw new TypeError('guarding files needs a snapshot');
  const changes = await protectedChanges({
    repo: resolve(workspace.plan.repo),
    base: workspace.base.commit,
    commit: snapshot.commit,
    globs: workspace.plan.protect,
  });
  const findings = changes.map(({ path, change }) => `tampered: ${path} (${change})`);
  const shown = changes.slice(0, 10).map(({ path, change }) => `${path} was ${change}`);
  const more = changes.length > shown.length ? `, and ${changes.length - shown.length} more` : '';
  const summary = changes.length === 0 ? 'no protected file was changed' : `${shown.join(', ')}${more}: put it back`;
  const durationMs = Math.round(performance.now() - started);
  const evidence = {
    summary,
    commit: snapshot.commit,
    tree: snapshot.tree,
    digest: digestOf(findings.join('\n')),
    durationMs,
  };
  return { kind: changes.length === 0 ? 'pass' : 'fail', evidence, findings };
}

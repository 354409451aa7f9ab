import { errorAt } from '#core/issue/issue.ts';
import { checkPath, type Compiling } from '#core/plan/compiling.ts';
import type { Plan } from '#core/plan/plan.ts';

/** Patterns of files to keep are git's own: inside the workspace, without braces. Files of variables are plain paths in it. */
export function checkKept(compiling: Compiling, { keepBetweenRuns = [], workspace }: Plan): void {
  for (const glob of keepBetweenRuns) checkGlob(compiling, 'keepBetweenRuns', glob);
  for (const glob of workspace.keep) checkGlob(compiling, 'workspace.keep', glob);
  for (const file of workspace.envFiles ?? []) checkPath(compiling, 'workspace.envFiles', file);
}

function checkGlob(compiling: Compiling, path: string, glob: string): void {
  checkPath(compiling, path, glob);
  if (!/[{}]/.test(glob)) return;
  const message = `the pattern \`${glob.slice(0, 80)}\` has braces, which mean nothing here; write each alternative as a pattern`;
  compiling.issues.push(errorAt(path, 'workspace/bad-pattern', message));
}

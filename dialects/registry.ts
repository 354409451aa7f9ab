import type { Dialect } from '#dialects/dialect.ts';
import { conditions } from '#dialects/conditions/conditions.ts';
import { dagu } from '#dialects/dagu/dagu.ts';
import { exitChecks } from '#dialects/exit-checks/exit-checks.ts';
import { native } from '#dialects/native/native.ts';
import { taskFile } from '#dialects/task-file/task-file.ts';
import { verdictSteps } from '#dialects/verdict-steps/verdict-steps.ts';

/** Every dialect, in the order in which their shapes are tried. */
export const dialects: readonly Dialect[] = [native, verdictSteps, taskFile, exitChecks, conditions, dagu];

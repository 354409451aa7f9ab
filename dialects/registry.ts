import type { Dialect } from '#dialects/dialect.ts';
import { native } from '#dialects/native/native.ts';

/** Every dialect, in the order in which their shapes are tried. */
export const dialects: readonly Dialect[] = [native];

import { z } from 'zod';

import { unreachable } from '#core/exhaustive.ts';

/** The terminal reasons of a run (E1). */
export const StopKind = z.enum([
  'succeeded',
  'failed',
  'rejected',
  'exhausted',
  'no_progress',
  'timed_out',
  'over_budget',
  'provider_error',
  'failed_to_start',
  'delivery_failed',
  'cancelled',
]);
export type StopKind = z.infer<typeof StopKind>;

/**
 * Why a run ended. `code` is a page in docs/errors where there is one (`stuck`, `base_red`, a fault's code);
 * `reason` is one sentence that names the cause, `remedy` what clears it.
 */
export const Stop = z.object({
  kind: StopKind,
  code: z.string().optional(),
  reason: z.string(),
  remedy: z.string().optional(),
});
export type Stop = z.infer<typeof Stop>;

/** 0 succeeded; 1 the work did not pass; 4 cancelled; 5 infrastructure (docs/guide/scripts.md). */
export function exitCodeOf(kind: StopKind): 0 | 1 | 4 | 5 {
  switch (kind) {
    case 'succeeded':
      return 0;
    case 'cancelled':
      return 4;
    case 'provider_error':
    case 'failed_to_start':
    case 'delivery_failed':
      return 5;
    case 'failed':
    case 'rejected':
    case 'exhausted':
    case 'no_progress':
    case 'timed_out':
    case 'over_budget':
      return 1;
    default:
      return unreachable(kind);
  }
}

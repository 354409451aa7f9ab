import { z } from '@hono/zod-openapi';

/** A number in a query or a path, from `least` on. */
export function wholeNumber(least: number) {
  // Coercion takes null for 0, which no query can hold: the document says what one can.
  return z.coerce.number().int().min(least).openapi({ type: 'integer' });
}

const unitMs = { ms: 1, s: 1_000, m: 60_000 } as const;

/** A time such as `60s` or `2m`, in milliseconds; at most ten minutes. */
export const WaitMs = z
  .string()
  .regex(/^\d+(ms|s|m)$/, 'must be a time such as 60s or 2m')
  .transform((text) => {
    const unit = /(ms|s|m)$/.exec(text)?.[0] as keyof typeof unitMs;
    return Math.min(Number.parseInt(text, 10) * unitMs[unit], 600_000);
  });

export const RunPath = z.object({ runId: z.string().min(1).max(100) });

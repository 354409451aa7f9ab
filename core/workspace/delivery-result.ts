import { z } from 'zod';
import { ObjectId } from '#core/workspace/snapshot.ts';

/** What a local delivery left in the repository (G1, G2). */
export const DeliveryResult = z.discriminatedUnion('kind', [
  /** The mode is `none`. */
  z.object({ kind: z.literal('none') }),
  /** The judged tree is the base's tree. */
  z.object({ kind: z.literal('nothing_to_deliver'), base: ObjectId }),
  z.object({
    kind: z.literal('delivered'),
    mode: z.enum(['commit', 'branch']),
    commit: ObjectId,
    tree: ObjectId,
    ref: z.string(),
    branch: z.string().optional(),
    /** It was there already: an earlier try had done it. */
    adopted: z.boolean(),
  }),
]);
export type DeliveryResult = z.infer<typeof DeliveryResult>;

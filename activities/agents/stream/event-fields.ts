import { z } from 'zod';

/**
 * Fields of a CLI's events. A field of another shape than expected reads as absent:
 * CLIs change their events between versions, and one odd field must not lose a terminal event.
 */
export const text = z.string().optional().catch(undefined);
/** A name that is always there: the type of an event, an id. Absent reads as ''. */
export const word = z.string().catch('');
export const flag = z.boolean().optional().catch(undefined);
export const status = z.number().int().optional().catch(undefined);
/** A count of tokens or an amount of money: never negative, never NaN. */
export const amount = z.number().nonnegative().finite().catch(0);

export function record<Shape extends z.ZodRawShape>(shape: Shape): z.ZodCatch<z.ZodOptional<z.ZodObject<Shape>>> {
  return z.object(shape).optional().catch(undefined);
}

export function list<Item extends z.ZodType>(item: Item): z.ZodCatch<z.ZodArray<Item>> {
  return z.array(item).catch([]);
}

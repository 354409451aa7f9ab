import { z } from '@hono/zod-openapi';
import { ProjectName, StorableText } from '#core/contract/library.ts';
import { wholeNumber } from '#api/routes/query.ts';

/** What every list by name takes. */
export const PageQuery = z.object({
  cursor: StorableText.max(200).optional().describe('`cursor` of the page before'),
  limit: wholeNumber(1).max(500).default(50).describe('How many a page has at most'),
});

export const ProjectPageQuery = PageQuery.extend({ project: ProjectName.optional() });

/** Cuts what was asked for with one more than `limit`: a cursor leads on only where there is a next page. */
export function pageOf<T>(
  found: readonly T[],
  limit: number,
  cursorOf: (last: T) => string,
): { page: T[]; cursor?: string } {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return found.length > limit && last !== undefined ? { page, cursor: cursorOf(last) } : { page };
}

interface Place {
  project: string;
  name: string;
}

/** No name holds a colon; a project may. */
export function placeCursor({ project, name }: Place): string {
  return `${name}:${project}`;
}

/** The place that a cursor stands for; undefined for none. */
export function placeOfCursor(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const colon = cursor.indexOf(':');
  return colon < 0 ? { name: cursor, project: '' } : { name: cursor.slice(0, colon), project: cursor.slice(colon + 1) };
}

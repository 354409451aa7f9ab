import { z } from 'zod';

import { Issue } from '#core/issue/issue.ts';

/** What starting a run answers; the rest of the answer is read by `run`. Apart, since it is all that a start waits for. */
export const RunStarted = z.object({ runId: z.string(), warnings: z.array(Issue).optional() });
export type RunStarted = z.infer<typeof RunStarted>;

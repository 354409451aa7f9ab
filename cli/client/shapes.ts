import { z } from 'zod';

import { CleanupShown } from '#core/contract/cleanup.ts';
import { EventPage, PlanShown, Problem, RunList, RunListed, RunShown } from '#core/contract/http.ts';
import { Issue } from '#core/issue/issue.ts';

/** The shapes of the server's answers, apart: reading them loads zod, which must not delay what is sent. */
export { CleanupShown, EventPage, PlanShown, Problem, RunList, RunListed, RunShown };

/** What starting a run answers; the rest of the answer is read by `run`. */
export const RunStarted = z.object({ runId: z.string(), warnings: z.array(Issue).optional() });
export type RunStarted = z.infer<typeof RunStarted>;

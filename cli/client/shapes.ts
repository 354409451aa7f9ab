import { CleanupShown } from '#core/contract/cleanup.ts';
import { EventPage, PlanShown, RunList, RunListed, RunShown } from '#core/contract/http.ts';

/** The shapes of the server's answers, apart: reading them loads zod, which must not delay what is sent. */
export { CleanupShown, EventPage, PlanShown, RunList, RunListed, RunShown };

/** What was forked from a run that is shown. */
export const RunForks = RunShown.pick({ forks: true });

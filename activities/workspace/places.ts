import { join } from 'node:path';

/** Where this host keeps what belongs to a run. */
export const worktreeOf = (home: string, runId: string): string => join(home, 'worktrees', runId, 'work');

/** A checkout of a snapshot for one reader: a read-only step, or a check that wants a clean one. */
export const readerOf = (home: string, runId: string, name: string): string =>
  join(home, 'worktrees', runId, 'readers', name.replaceAll(/[^\w.-]/g, '-'));

/** HOME of the run's agents and commands: one a run, so that sessions outlive a pass. */
export const agentHomeOf = (home: string, runId: string): string => join(home, 'agent-homes', runId);

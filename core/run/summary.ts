import { z } from 'zod';

import { Stop } from '#core/run/stop.ts';

/** E2 and E1 as one word for lists. */
export const RunStatus = z.enum(['queued', 'running', 'waiting', 'paused', 'ended']);
export type RunStatus = z.infer<typeof RunStatus>;

/** What lists show of a run: written with every batch of events, computed from the state by `summarise`. */
export const RunSummary = z.object({
  status: RunStatus,
  /** Why it does not move, one sentence; absent while it runs. */
  why: z.string().optional(),
  /** The command that clears it. */
  remedy: z.string().optional(),
  /** Id of the open task that it waits for, the oldest one. */
  task: z.string().optional(),
  stop: Stop.optional(),
  /** Passes begun, over all steps that loop. */
  passes: z.number().int(),
  spendUsd: z.number(),
  commit: z.string().optional(),
  branch: z.string().optional(),
  delivery: z.enum(['none', 'commit', 'branch', 'pr', 'merge', 'nothing_to_deliver']).optional(),
  hostId: z.string().optional(),
  /** Sequence number of the last event that it rests on. */
  seq: z.number().int(),
});
export type RunSummary = z.infer<typeof RunSummary>;

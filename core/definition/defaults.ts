/** The defaults of the native form (C1), in one place: `compile` fills them and `plan` prints them. */
export const defaults = {
  name: 'untitled',
  project: 'default',
  passes: 5,
  timeSeconds: 4 * 3600,
  noProgress: 2,
  agentTimeSeconds: 30 * 60,
  /** H2: without any progress, within the limit of the attempt. */
  agentQuietSeconds: 15 * 60,
  /** A command step has the agent's limit: it may be the whole work of a step. */
  commandTimeSeconds: 30 * 60,
  checkTimeSeconds: 10 * 60,
  longestCheckSeconds: 30 * 60,
  conditionTimeSeconds: 60,
  /** Of a call in a run without a time limit, and of a question: people have their own limit. */
  longestWaitSeconds: 30 * 86_400,
  /** Child runs of one list at a time. */
  callsAtOnce: 3,
  quorum: 1,
  consecutive: 1,
  reportFile: '.setpoint-report.json',
  retry: { on: 'infrastructure', limit: 2, everySeconds: 10, backoff: 2 },
  wait: { everySeconds: 0, backoff: 1 },
  baseline: 'report',
  repo: '.',
} as const;

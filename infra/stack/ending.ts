import type { StackRole } from '#core/contract/stack.ts';

/** How each role is asked to end, and how long it may take before SIGKILL. */
export const ending = {
  supervisor: { signal: 'SIGTERM', graceMs: 60_000 },
  host: { signal: 'SIGTERM', graceMs: 20_000 },
  control: { signal: 'SIGTERM', graceMs: 10_000 },
  api: { signal: 'SIGTERM', graceMs: 5_000 },
  temporal: { signal: 'SIGTERM', graceMs: 5_000 },
  /** Fast shutdown: cuts connections, keeps what is committed. SIGTERM would wait for every client to leave. */
  postgres: { signal: 'SIGINT', graceMs: 10_000 },
} as const satisfies Record<StackRole, { signal: NodeJS.Signals; graceMs: number }>;

/** Who ends first: those that need the others. Each group ends together. */
export const endingOrder: readonly (readonly StackRole[])[] = [
  ['api', 'control', 'host'],
  ['temporal', 'postgres'],
];

/**
 * Faults: what stops outside work before it could give an outcome (decision 3).
 * A failed check, an agent's exit 1 or a time limit is an outcome and is returned; a fault is thrown.
 * The table is closed: a code's meaning never changes once released, and each has a page in docs/errors.
 *
 * What the law does on a fault:
 * - `retry`: infrastructure; the engine or the law tries again with backoff.
 * - `wait`:  the world must change first (a host, a lock, disk space); the run shows why it waits and tries again.
 * - `stop`:  it can never work as written; the run stops as `failed_to_start`.
 */
export const faults = {
  'agent/not-found': 'stop',
  'agent/not-authenticated': 'stop',
  'agent/bad-request': 'stop',
  'agent/prompt-too-large': 'stop',
  'sandbox/unavailable': 'stop',
  'template/unresolved': 'stop',
  'schema/invalid': 'stop',
  'call/bad-list': 'stop',
  'call/inputs-invalid': 'stop',
  'secret/not-found': 'stop',
  'secret/no-key': 'stop',
  'workspace/not-a-repository': 'stop',
  'workspace/base-unknown': 'stop',
  'workspace/setup-failed': 'stop',
  'workspace/snapshot-gone': 'stop',
  'workspace/kept-too-large': 'stop',
  'workspace/locked': 'wait',
  'workspace/missing': 'retry',
  'workspace/snapshot-failed': 'retry',
  'workspace/git-failed': 'retry',
  'delivery/branch-exists': 'stop',
  'delivery/tree-differs': 'stop',
  'store/unavailable': 'retry',
  'store/disk-full': 'wait',
  'store/artifact-missing': 'stop',
  'host/crashed': 'retry',
  /** The host was told to stop, or lost its lease; what it ran is started again without spending a restart. */
  'host/stopping': 'retry',
  'host/lost': 'wait',
} as const satisfies Record<string, FaultAnswer>;

export type FaultAnswer = 'retry' | 'wait' | 'stop';
export type FaultCode = keyof typeof faults;

/** Thrown by infra and activities; `activities/failure.ts` is the only place that turns it into what the engine knows. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  constructor(code: FaultCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.code = code;
  }
}

export function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(faults, code);
}

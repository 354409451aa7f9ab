import { Fault } from '#core/contract/fault.ts';
import { errorCode } from '#infra/process/error-code.ts';

/** Turns a file system's refusal into a fault of the store; a fault stays as it is. `what` says what was tried. */
export function storeFault(error: unknown, what: string): Fault {
  if (error instanceof Fault) return error;
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new Fault(
      'store/disk-full',
      `The disk is full (${code}): ${what}. Free space, or move the data folder; the run goes on by itself.`,
      {
        cause: error,
      },
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('store/unavailable', `${what} failed: ${reason}`, { cause: error });
}

/** Runs a store operation and throws only faults. */
export async function withStoreFaults<T>(what: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw storeFault(error, what);
  }
}

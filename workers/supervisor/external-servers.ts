import { StackFault } from '#core/contract/stack.ts';
import { refusalOfPostgres } from '#infra/stack/postgres-server.ts';
import { probeTemporal } from '#infra/stack/temporal-probe.ts';
import type { StackPlan } from '#workers/supervisor/stack-plan.ts';

/** A server that is being started beside us may take a moment; one that is not there must not keep a person waiting. */
const patienceMs = 10_000;
const lookEveryMs = 250;

/**
 * Waits until the servers that the settings name answer, so that a wrong address is said once and plainly in place of
 * three programs failing on it. Faults: `stack/temporal-unavailable`, `stack/postgres-unavailable`, after 10 s.
 */
export async function awaitExternal(
  plan: Pick<StackPlan, 'external' | 'temporalAddress' | 'temporalNamespace' | 'databaseUrl'>,
  limitMs = patienceMs,
): Promise<void> {
  await Promise.all([
    plan.external.includes('temporal') ? awaitTemporal(plan, limitMs) : undefined,
    plan.external.includes('postgres') ? awaitPostgres(plan.databaseUrl, limitMs) : undefined,
  ]);
}

async function awaitTemporal(
  { temporalAddress, temporalNamespace }: Pick<StackPlan, 'temporalAddress' | 'temporalNamespace'>,
  limitMs: number,
): Promise<void> {
  const answers = await within(limitMs, async () =>
    (await probeTemporal(temporalAddress, temporalNamespace)) ? undefined : 'no',
  );
  if (answers === undefined) return;
  throw new StackFault(
    'stack/temporal-unavailable',
    `No Temporal server with the namespace "${temporalNamespace}" answers at ${temporalAddress} (SETPOINT_TEMPORAL_ADDRESS). Start it, correct the address, or unset it to use the embedded one.`,
  );
}

async function awaitPostgres(url: string, limitMs: number): Promise<void> {
  const refusal = await within(limitMs, () => refusalOfPostgres(url));
  if (refusal === undefined) return;
  const { host, pathname } = new URL(url);
  throw new StackFault(
    'stack/postgres-unavailable',
    `The database ${pathname.slice(1)} at ${host} (SETPOINT_DATABASE_URL) cannot be used: ${refusal.message}. Start it, correct the url, or unset it to use the embedded one.`,
    { cause: refusal },
  );
}

/** Asks again until there is no refusal or the time is over; the last refusal. */
async function within<T>(limitMs: number, ask: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = performance.now() + limitMs;
  for (;;) {
    const refusal = await ask();
    if (refusal === undefined || performance.now() >= end) return refusal;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

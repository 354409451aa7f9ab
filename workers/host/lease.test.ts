import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '#infra/log.ts';
import { openDatabase, type Database } from '#infra/postgres/database.ts';
import {
  createHostStore,
  type HostStore,
  leaseRenewSeconds,
  leaseRetrySeconds,
  leaseSeconds,
} from '#infra/postgres/host-store.ts';
import { migrate } from '#infra/postgres/migrate.ts';
import { takeLease } from '#workers/host/lease.ts';
import { withPostgres, type TestDatabase } from '../../test/integration/with-postgres.ts';

let server: TestDatabase;
let database: Database;
let away: HostStore;

beforeAll(async () => {
  server = await withPostgres();
  await migrate(server.url);
  database = openDatabase(server.url);
  const closed = openDatabase(server.url);
  await closed.close();
  away = createHostStore(closed);
});
afterAll(async () => {
  await database.close();
  await server.close();
});

/** A host with a clock of ours and a database that can be away. */
async function leased(hostId: string) {
  const there = createHostStore(database);
  const at = { ms: 0, isAway: false, losses: 0 };
  const lease = await takeLease({
    hosts: { ...there, renew: (id, token) => (at.isAway ? away : there).renew(id, token) },
    host: { hostId, slots: 1, info: {} },
    onLost: async () => void (at.losses += 1),
    log: createLogger('test', 'silent'),
    now: () => at.ms,
  });
  return { at, lease, there };
}

test('decision 15: a database that is away for longer than the lease is one loss, not one every ten seconds', async () => {
  const { at, lease } = await leased('one');
  at.isAway = true;
  await lease.renew();
  expect(at.losses).toBe(0);
  at.ms = leaseSeconds * 1000 + 1;
  await lease.renew();
  await lease.renew();
  expect(at.losses).toBe(1);
  at.isAway = false;
  await lease.renew();
  at.isAway = true;
  at.ms += leaseSeconds * 1000 + 1;
  await lease.renew();
  expect(at.losses).toBe(2);
});

test('decision 50: a database that is away for a minute is no loss, at whichever moment it goes', async () => {
  const { at, lease } = await leased('three');
  at.isAway = true;
  at.ms = (leaseRenewSeconds + 60 + leaseRetrySeconds) * 1000;
  await lease.renew();
  expect(at.losses).toBe(0);
  at.isAway = false;
  await lease.renew();
  at.isAway = true;
  at.ms += leaseSeconds * 1000;
  await lease.renew();
  expect(at.losses).toBe(0);
});

test('decision 15: a lease that another process took is lost once and taken again', async () => {
  const { at, lease, there } = await leased('two');
  const token = await there.register({ hostId: 'two', slots: 1, info: {} });
  await lease.renew();
  expect(at.losses).toBe(1);
  expect(await there.renew('two', token)).toBe(false);
  await lease.renew();
  expect(at.losses).toBe(1);
});

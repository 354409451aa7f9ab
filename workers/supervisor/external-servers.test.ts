import { expect, test } from 'vitest';
import { freePort } from '#infra/stack/free-port.ts';
import { awaitExternal } from '#workers/supervisor/external-servers.ts';
import { withPostgres } from '../../test/integration/with-postgres.ts';
import { withTemporal } from '../../test/integration/with-temporal.ts';

const quick = 100;

test('servers of the settings that answer are found at once', async () => {
  const [postgres, temporal] = await Promise.all([withPostgres(), withTemporal()]);
  const plan = {
    external: ['temporal' as const, 'postgres' as const],
    temporalAddress: temporal.address,
    temporalNamespace: temporal.namespace,
    databaseUrl: postgres.url,
  };
  await expect(awaitExternal(plan, 0)).resolves.toBeUndefined();
});

test('a database that does not answer is named by its address, never with its password', async () => {
  const port = await freePort();
  const databaseUrl = `postgres://someone:very-secret@127.0.0.1:${port}/records`;
  const waiting = awaitExternal(
    { external: ['postgres'], temporalAddress: '', temporalNamespace: '', databaseUrl },
    quick,
  );
  await expect(waiting).rejects.toMatchObject({
    code: 'stack/postgres-unavailable',
    message: expect.stringMatching(
      new RegExp(`records at 127.0.0.1:${port} \\(SETPOINT_DATABASE_URL\\).*ECONNREFUSED.*correct the url`),
    ),
  });
  await expect(waiting).rejects.not.toMatchObject({ message: expect.stringContaining('very-secret') });
});

test('a database that is not there is not made on a server of somebody else', async () => {
  const { url } = await withPostgres();
  const missing = new URL(url);
  missing.pathname = '/nowhere';
  const waiting = awaitExternal(
    { external: ['postgres'], temporalAddress: '', temporalNamespace: '', databaseUrl: missing.href },
    quick,
  );
  await expect(waiting).rejects.toMatchObject({ message: expect.stringContaining('"nowhere" does not exist') });
});

test('a Temporal that does not answer, or has no such namespace, is named with its setting', async () => {
  const { address } = await withTemporal();
  for (const temporalAddress of [address, `127.0.0.1:${await freePort()}`]) {
    const plan = { external: ['temporal' as const], temporalAddress, temporalNamespace: 'nowhere', databaseUrl: '' };
    await expect(awaitExternal(plan, quick)).rejects.toMatchObject({
      code: 'stack/temporal-unavailable',
      message: expect.stringContaining(`"nowhere" answers at ${temporalAddress} (SETPOINT_TEMPORAL_ADDRESS)`),
    });
  }
});

import pg from 'pg';
import { expect, test } from 'vitest';
import { withPostgres } from './with-postgres.ts';

test('each call gives an empty database of its own in one real server', async () => {
  const [one, two] = await Promise.all([withPostgres(), withPostgres()]);
  expect(one.url).not.toBe(two.url);
  expect(new URL(one.url).host).toBe(new URL(two.url).host);
  const client = new pg.Client({ connectionString: one.url });
  await client.connect();
  await client.query('create table t (n int)');
  await client.end();
  const other = new pg.Client({ connectionString: two.url });
  await other.connect();
  expect((await other.query(`select to_regclass('t') as t`)).rows).toEqual([{ t: null }]);
  await other.end();
  await Promise.all([one.close(), two.close()]);
});

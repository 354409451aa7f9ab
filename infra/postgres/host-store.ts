import { z } from 'zod';
import type { Database } from '#infra/postgres/database.ts';
import { jsonb } from '#infra/postgres/jsonb.ts';

/** A host's lease (decision 15). `lastSeenAt` and `leaseUntil` are ISO 8601; `silentSeconds` have passed since it renewed. */
export const HostLease = z.object({
  hostId: z.string(),
  leaseUntil: z.string(),
  lastSeenAt: z.string(),
  silentSeconds: z.number().int(),
  alive: z.boolean(),
  fencingToken: z.number().int(),
  slots: z.number().int(),
  startedAt: z.string(),
  info: z.record(z.string(), z.unknown()),
});
export type HostLease = z.infer<typeof HostLease>;

/** How often a host renews, and how often it tries to while the database is away. */
export const leaseRenewSeconds = 10;
export const leaseRetrySeconds = 2;
/**
 * How long after its last renewal a host counts as lost. A database that is away for a minute costs none: it may go just
 * before a renewal was due, and be back just after one was tried (decision 50).
 */
export const leaseSeconds = 80;

export interface HostStore {
  /** Takes the host's lease with the next fencing token, which is returned; whoever held it before cannot renew any more. */
  register(host: { hostId: string; slots: number; info: Record<string, unknown> }): Promise<number>;
  /** false = the lease expired or another holds it: end everything that runs, then register anew. */
  renew(hostId: string, fencingToken: number): Promise<boolean>;
  /** Gives the lease up at an orderly end. */
  release(hostId: string, fencingToken: number): Promise<void>;
  find(hostId: string): Promise<HostLease | undefined>;
  list(): Promise<HostLease[]>;
}

const columns = `host_id as "hostId", lease_until as "leaseUntil", fencing_token as "fencingToken", slots, info,
  started_at as "startedAt", lease_until - interval '${leaseSeconds} s' as "lastSeenAt",
  floor(extract(epoch from now() - lease_until) + ${leaseSeconds})::int as "silentSeconds", lease_until > now() as alive`;

/** The database's clock decides, so clocks of hosts do not matter. Faults: `store/unavailable`. */
export function createHostStore(database: Database): HostStore {
  return {
    async register({ hostId, slots, info }) {
      const { rows } = await database.query({
        text: `insert into hosts (host_id, lease_until, fencing_token, slots, info)
          values ($1, now() + interval '${leaseSeconds} s', 1, $2, $3)
          on conflict (host_id) do update set lease_until = excluded.lease_until, slots = excluded.slots,
            info = excluded.info, started_at = now(), fencing_token = hosts.fencing_token + 1
          returning fencing_token`,
        values: [hostId, slots, jsonb(info)],
      });
      return Number(rows[0]?.['fencing_token']);
    },
    async renew(hostId, fencingToken) {
      const { count } = await database.query({
        name: 'renew-lease',
        text: `update hosts set lease_until = now() + interval '${leaseSeconds} s'
          where host_id = $1 and fencing_token = $2 and lease_until > now()`,
        values: [hostId, fencingToken],
      });
      return count === 1;
    },
    async release(hostId, fencingToken) {
      await database.query({
        text: `update hosts set lease_until = now() where host_id = $1 and fencing_token = $2 and lease_until > now()`,
        values: [hostId, fencingToken],
      });
    },
    async find(hostId) {
      const { rows } = await database.query({
        name: 'find-host',
        text: `select ${columns} from hosts where host_id = $1`,
        values: [hostId],
      });
      return rows.map((row) => HostLease.parse(row))[0];
    },
    async list() {
      const { rows } = await database.query({ text: `select ${columns} from hosts order by host_id`, values: [] });
      return rows.map((row) => HostLease.parse(row));
    },
  };
}

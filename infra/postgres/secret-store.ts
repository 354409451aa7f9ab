import { z } from 'zod';
import { SecretListed } from '#core/contract/library.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import type { Database } from '#infra/postgres/database.ts';
import { seal, type SecretPlace, type SecretsKey, unseal } from '#infra/secrets/sealed.ts';

export interface NewSecret extends SecretPlace {
  value: string;
  updatedBy: string;
}

/** A page by name, then project. `after` is the last of the page before. */
export interface SecretPage {
  project?: string;
  after?: SecretPlace;
  limit: number;
}

export interface SecretStore {
  /** Seals and stores the value; one that is there is replaced. */
  put(secret: NewSecret): Promise<{ created: boolean; secret: SecretListed }>;
  list(page: SecretPage): Promise<SecretListed[]>;
  /** false = there was none. */
  remove(place: SecretPlace): Promise<boolean>;
  /** Those of the names that the project of a run has, opened. For the host that runs its step, and nobody else. */
  ofRun(runId: string, names: readonly string[]): Promise<Secret[]>;
  /** Every name that a step of the run's plan asks for. */
  namedByRun(runId: string): Promise<string[]>;
}

const listed = `project, name, updated_at as "updatedAt"`;
const Sealed = z.object({ project: z.string(), name: z.string(), sealed: z.instanceof(Buffer) });

/**
 * Secrets sealed at rest. The key is read when a value is sealed or opened, so a process that does neither needs none.
 * Faults: `store/unavailable`; of `put` and `ofRun` also `secret/no-key`.
 */
export function createSecretStore(database: Database, key: () => SecretsKey): SecretStore {
  return {
    async put({ project, name, value, updatedBy }) {
      const { rows } = await database.query({
        text: `insert into secrets (project, name, sealed, updated_by) values ($1, $2, $3, $4)
          on conflict (project, name) do update set sealed = excluded.sealed, updated_by = excluded.updated_by,
            updated_at = now()
          returning ${listed}, xmax = 0 as created`,
        values: [project, name, seal(key(), { project, name }, value), updatedBy],
      });
      const { created, ...secret } = SecretListed.extend({ created: z.boolean() }).parse(rows[0]);
      return { created, secret };
    },
    async list({ project, after, limit }) {
      const { rows } = await database.query({
        text: `select ${listed} from secrets
          where ($1::text is null or project = $1) and ($2::text is null or (name, project) > ($2, $3))
          order by name, project limit $4`,
        values: [project ?? null, after?.name ?? null, after?.project ?? null, limit],
      });
      return rows.map((row) => SecretListed.parse(row));
    },
    async remove({ project, name }) {
      const { count } = await database.query({
        text: `delete from secrets where project = $1 and name = $2`,
        values: [project, name],
      });
      return count === 1;
    },
    async ofRun(runId, names) {
      const { rows } = await database.query({
        text: `select s.project, s.name, s.sealed from secrets s join runs r using (project)
          where r.run_id = $1 and s.name = any ($2)`,
        values: [runId, [...names]],
      });
      return z
        .array(Sealed)
        .parse(rows)
        .map(({ sealed, ...place }) => ({ name: place.name, value: unseal(key(), place, sealed) }));
    },
    async namedByRun(runId) {
      const { rows } = await database.query({
        text: `select distinct secret from runs,
            lateral (
              select step from jsonb_array_elements(plan -> 'steps') step
              union all
              select value from jsonb_each(coalesce(plan -> 'handlers', '{}'))
            ) granted,
            jsonb_array_elements_text(granted.step -> 'secrets') secret
          where run_id = $1 order by secret`,
        values: [runId],
      });
      return rows.map((row) => String(row['secret']));
    },
  };
}

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DefinitionListed, DefinitionShown } from '#core/contract/library.ts';
import type { Database } from '#infra/postgres/database.ts';

/** Names one stored definition; its versions count from 1. */
export interface DefinitionKey {
  project: string;
  name: string;
}

export interface NewDefinition extends DefinitionKey {
  dialect: string;
  source: string;
  createdBy: string;
}

/** A page by name, then project. `after` is the last of the page before. */
export interface DefinitionPage {
  project?: string;
  after?: DefinitionKey;
  limit: number;
}

/** A page of versions, newest first. `before` is the last of the page before. */
export interface VersionPage extends DefinitionKey {
  before?: number;
  limit: number;
}

export interface DefinitionStore {
  /** Stores the text as the next version, unless it is that of the newest one. */
  put(definition: NewDefinition): Promise<{ created: boolean; definition: DefinitionShown }>;
  /** The newest version, or the one that is named. */
  find(key: DefinitionKey & { version?: number }): Promise<DefinitionShown | undefined>;
  /** The newest versions of those of the names that are stored. */
  newest(project: string, names: readonly string[]): Promise<DefinitionShown[]>;
  /** The newest version of each. */
  list(page: DefinitionPage): Promise<DefinitionListed[]>;
  versions(page: VersionPage): Promise<DefinitionListed[]>;
}

const listed = `project, name, version, dialect, created_by as "createdBy", created_at as "createdAt"`;

/** Faults: `store/unavailable`. */
export function createDefinitionStore(database: Database): DefinitionStore {
  const find: DefinitionStore['find'] = async ({ project, name, version }) => {
    const { rows } = await database.query({
      text: `select ${listed}, source from definitions
        where project = $1 and name = $2 and ($3::int is null or version = $3) order by version desc limit 1`,
      values: [project, name, version ?? null],
    });
    return rows.map((row) => DefinitionShown.parse(row))[0];
  };
  return {
    find,
    async put(definition) {
      // A try that stores nothing and finds another text lost against a call at the same moment: that one has the number.
      for (;;) {
        const created = await insertNext(database, definition);
        if (created !== undefined) return { created: true, definition: created };
        const newest = await find(definition);
        if (newest?.source === definition.source && newest.dialect === definition.dialect) {
          return { created: false, definition: newest };
        }
      }
    },
    async newest(project, names) {
      const { rows } = await database.query({
        text: `select distinct on (name) ${listed}, source from definitions
          where project = $1 and name = any ($2) order by name, version desc`,
        values: [project, [...names]],
      });
      return rows.map((row) => DefinitionShown.parse(row));
    },
    async list({ project, after, limit }) {
      const { rows } = await database.query({
        text: `select distinct on (name, project) ${listed} from definitions
          where ($1::text is null or project = $1) and ($2::text is null or (name, project) > ($2, $3))
          order by name, project, version desc limit $4`,
        values: [project ?? null, after?.name ?? null, after?.project ?? null, limit],
      });
      return rows.map((row) => DefinitionListed.parse(row));
    },
    async versions({ project, name, before, limit }) {
      const { rows } = await database.query({
        text: `select ${listed} from definitions
          where project = $1 and name = $2 and ($3::int is null or version < $3) order by version desc limit $4`,
        values: [project, name, before ?? null, limit],
      });
      return z.array(DefinitionListed).parse(rows);
    },
  };
}

async function insertNext(database: Database, definition: NewDefinition): Promise<DefinitionShown | undefined> {
  const { project, name, dialect, source, createdBy } = definition;
  const { rows } = await database.query({
    text: `with newest as (
        select version, source_sha256, dialect from definitions
        where project = $1 and name = $2 order by version desc limit 1
      )
      insert into definitions (project, name, version, dialect, source, source_sha256, created_by)
      select $1, $2, coalesce((select version from newest), 0) + 1, $3, $4, $5, $6
      where not exists (select from newest where source_sha256 = $5 and dialect = $3)
      on conflict (project, name, version) do nothing
      returning ${listed}, source`,
    values: [project, name, dialect, source, createHash('sha256').update(source).digest('hex'), createdBy],
  });
  return rows.map((row) => DefinitionShown.parse(row))[0];
}

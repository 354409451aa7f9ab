import { z } from 'zod';
import { Person } from '#core/contract/library.ts';
import type { Database } from '#infra/postgres/database.ts';

export interface PersonChange {
  name: string;
  /** What is undefined stays; a new person is in no team and no admin. */
  teams?: readonly string[] | undefined;
  admin?: boolean | undefined;
  /** SHA-256, hexadecimal, of the token that a new person gets; one that is there gets it with `newToken`. */
  tokenSha256: string;
  newToken: boolean;
}

export interface PersonStored {
  person: Person;
  created: boolean;
  /** The person's token is that of the change from now on. */
  hasToken: boolean;
}

/** A page by name; `after` is the last name of the page before. */
export interface PersonPage {
  after?: string;
  limit: number;
}

export interface PersonStore {
  /** Adds a person or changes one, whichever is due. One statement. */
  put(change: PersonChange): Promise<PersonStored>;
  /** Whose token has this SHA-256 (hexadecimal). */
  findByToken(tokenSha256: string): Promise<Person | undefined>;
  list(page: PersonPage): Promise<Person[]>;
  /** false = there was none. The token ends at once. */
  remove(name: string): Promise<boolean>;
}

const columns = `name, teams, admin, created_at as "createdAt"`;
const Stored = Person.extend({ created: z.boolean(), hasToken: z.boolean() });

/** Faults: `store/unavailable`. */
export function createPersonStore(database: Database): PersonStore {
  return {
    async put({ name, teams, admin, tokenSha256, newToken }) {
      // `xmax` is 0 only in a row that this statement inserted.
      const { rows } = await database.query({
        text: `insert into people (name, teams, admin, token_sha256)
          values ($1, coalesce($2, '{}'::text[]), coalesce($3, false), $4)
          on conflict (name) do update set teams = coalesce($2, people.teams), admin = coalesce($3, people.admin),
            token_sha256 = case when $5 then $4 else people.token_sha256 end
          returning ${columns}, xmax = 0 as created, token_sha256 = $4 as "hasToken"`,
        values: [name, teams === undefined ? null : [...new Set(teams)], admin ?? null, tokenSha256, newToken],
      });
      const { created, hasToken, ...person } = Stored.parse(rows[0]);
      return { person, created, hasToken };
    },
    async findByToken(tokenSha256) {
      const { rows } = await database.query({
        name: 'find-person',
        text: `select ${columns} from people where token_sha256 = $1`,
        values: [tokenSha256],
      });
      return rows.map((row) => Person.parse(row))[0];
    },
    async list({ after, limit }) {
      const { rows } = await database.query({
        text: `select ${columns} from people where ($1::text is null or name > $1) order by name limit $2`,
        values: [after ?? null, limit],
      });
      return rows.map((row) => Person.parse(row));
    },
    async remove(name) {
      const { count } = await database.query({ text: `delete from people where name = $1`, values: [name] });
      return count === 1;
    },
  };
}

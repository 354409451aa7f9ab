import { z } from 'zod';

/** Shapes of what an organisation keeps beside its runs (docs/guide/organisation.md). Times are ISO 8601. */

/** Neither Postgres nor an environment variable can hold a NUL. */
export const StorableText = z.string().refine((text) => !text.includes('\0'), 'cannot hold a NUL character');

/** Ids that the server gives to its own messages and runs; one of them taken before would hide what it is for. */
const ownIds = /^(?:child|engine|fork|parent-cancel|source):/;

/** Of a request that counts once, chosen by whoever sends it. */
export const GivenId = StorableText.min(1)
  .max(200)
  .refine(
    (id) => !ownIds.test(id),
    'cannot begin with child:, engine:, fork:, parent-cancel: or source:, which are ids of the server',
  );

const slug = (what: string) =>
  z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,63}$/,
      `${what} is 1 to 64 small letters, digits, dots, dashes and underscores, and begins with a letter or digit`,
    );

export const DefinitionName = slug('the name of a stored definition');
export const TeamName = slug('the name of a team');
export const PersonName = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.@-]{0,63}$/,
    'the name of a person is 1 to 64 letters, digits, dots, dashes, underscores and @, and begins with a letter or digit',
  );
/** A secret becomes a variable of this name. */
export const SecretName = z
  .string()
  .regex(
    /^(?!SETPOINT_)[A-Za-z_]\w{0,127}$/,
    'the name of a secret is that of an environment variable (letters, digits, underscores), and none of SETPOINT_…',
  );
export const ProjectName = StorableText.min(1).max(100);
export const SourceLabel = StorableText.min(1).max(100);

/** `PUT /v1/definitions/{name}`: exactly one of `source` (text of a file) and `definition` (an object). */
export const PutDefinition = z.strictObject({
  source: StorableText.optional(),
  definition: z.record(z.string(), z.unknown()).optional(),
  dialect: z.string().optional(),
  project: ProjectName.optional(),
});
export type PutDefinition = z.infer<typeof PutDefinition>;

/** A version of a stored definition, without its text. Versions count from 1. */
export const DefinitionListed = z.object({
  project: z.string(),
  name: z.string(),
  version: z.number().int(),
  dialect: z.string(),
  createdBy: z.string(),
  createdAt: z.string(),
});
export type DefinitionListed = z.infer<typeof DefinitionListed>;

/** `source` is the text as it was sent; of an object its JSON. */
export const DefinitionShown = DefinitionListed.extend({ source: z.string() });
export type DefinitionShown = z.infer<typeof DefinitionShown>;

/** `GET /v1/definitions`: the newest version of each, by name. */
export const DefinitionList = z.object({ definitions: z.array(DefinitionListed), cursor: z.string().optional() });
export type DefinitionList = z.infer<typeof DefinitionList>;

/** `GET /v1/definitions/{name}/versions`: newest first. */
export const DefinitionVersions = z.object({ versions: z.array(DefinitionListed), cursor: z.string().optional() });
export type DefinitionVersions = z.infer<typeof DefinitionVersions>;

/** `PUT /v1/secrets/{name}`. A value of fewer than 6 characters is refused (H4). */
export const PutSecret = z.strictObject({ value: StorableText.max(64 * 1024), project: ProjectName.optional() });
export type PutSecret = z.infer<typeof PutSecret>;

/** All that is ever told of a secret. */
export const SecretListed = z.object({ project: z.string(), name: z.string(), updatedAt: z.string() });
export type SecretListed = z.infer<typeof SecretListed>;

export const SecretList = z.object({ secrets: z.array(SecretListed), cursor: z.string().optional() });
export type SecretList = z.infer<typeof SecretList>;

/** `PUT /v1/people/{name}`: what is absent stays as it is; of a new person no teams and no admin. */
export const PutPerson = z.strictObject({
  teams: z.array(TeamName).max(100).optional(),
  admin: z.boolean().optional(),
  /** Makes another token; the one before ends at once. */
  newToken: z.boolean().optional(),
});
export type PutPerson = z.infer<typeof PutPerson>;

export const Person = z.object({
  name: z.string(),
  teams: z.array(z.string()),
  admin: z.boolean(),
  createdAt: z.string(),
});
export type Person = z.infer<typeof Person>;

/** `token` only when it was just made: it is kept as a hash and cannot be shown again. */
export const PersonPut = Person.extend({ token: z.string().optional() });
export type PersonPut = z.infer<typeof PersonPut>;

export const PersonList = z.object({ people: z.array(Person), cursor: z.string().optional() });
export type PersonList = z.infer<typeof PersonList>;

/** `PUT /v1/sources/{label}`. */
export const PutSource = z.strictObject({ on: z.boolean() });
export type PutSource = z.infer<typeof PutSource>;

/** A label of runs that can be switched off; one that was never switched is on. */
export const Source = z.object({
  label: z.string(),
  on: z.boolean(),
  changedBy: z.string(),
  changedAt: z.string(),
});
export type Source = z.infer<typeof Source>;

export const SourceList = z.object({ sources: z.array(Source), cursor: z.string().optional() });
export type SourceList = z.infer<typeof SourceList>;

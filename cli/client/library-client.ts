import type {
  DefinitionList,
  DefinitionShown,
  PersonList,
  PersonPut,
  PutDefinition,
  PutPerson,
  PutSecret,
  PutSource,
  SecretList,
  SecretListed,
  Source,
  SourceList,
} from '#core/contract/library.ts';

import { callsOf, readAs, type ServerCalls } from '#cli/client/server-calls.ts';
import type { ServerAddress } from '#cli/stack/server-address.ts';

/** `created`: it was not there before. */
export type Put<T> = T & { created: boolean };

/** What is kept beside runs (docs/guide/organisation.md). Each throws `ServerUnreachable` or `ApiProblem`. */
export interface LibraryClient {
  definitions(query: Record<string, string>): Promise<DefinitionList>;
  /** The newest version unless the query names one. */
  definition(name: string, query: Record<string, string>): Promise<DefinitionShown>;
  putDefinition(name: string, body: PutDefinition): Promise<Put<DefinitionShown>>;
  secrets(query: Record<string, string>): Promise<SecretList>;
  putSecret(name: string, body: PutSecret): Promise<Put<SecretListed>>;
  removeSecret(name: string, query: Record<string, string>): Promise<void>;
  people(query: Record<string, string>): Promise<PersonList>;
  putPerson(name: string, body: PutPerson): Promise<Put<PersonPut>>;
  removePerson(name: string): Promise<void>;
  sources(query: Record<string, string>): Promise<SourceList>;
  putSource(label: string, body: PutSource): Promise<Source>;
}

const loadShapes = () => import('#core/contract/library.ts');

export function createLibraryClient(server: ServerAddress): LibraryClient {
  const calls = callsOf(server);
  return { ...definitionCalls(calls), ...secretCalls(calls), ...peopleCalls(calls), ...sourceCalls(calls) };
}

/** As it was typed: the server names what it does not know. */
function typed(query: Record<string, string>) {
  return { querySerializer: () => new URLSearchParams(query).toString() };
}

function named(name: string) {
  return { params: { path: { name } } };
}

type DefinitionCalls = Pick<LibraryClient, 'definitions' | 'definition' | 'putDefinition'>;

function definitionCalls({ http, told }: ServerCalls): DefinitionCalls {
  return {
    definitions: async (query) => {
      const { data } = await told(http.GET('/v1/definitions', typed(query)));
      return readAs(data, (await loadShapes()).DefinitionList);
    },
    definition: async (name, query) => {
      const { data } = await told(http.GET('/v1/definitions/{name}', { ...named(name), ...typed(query) }));
      return readAs(data, (await loadShapes()).DefinitionShown);
    },
    putDefinition: async (name, body) => {
      const { data, response } = await told(http.PUT('/v1/definitions/{name}', { ...named(name), body }));
      return withCreated(response, readAs(data, (await loadShapes()).DefinitionShown));
    },
  };
}

type SecretCalls = Pick<LibraryClient, 'secrets' | 'putSecret' | 'removeSecret'>;

function secretCalls({ http, told }: ServerCalls): SecretCalls {
  return {
    secrets: async (query) => {
      const { data } = await told(http.GET('/v1/secrets', typed(query)));
      return readAs(data, (await loadShapes()).SecretList);
    },
    putSecret: async (name, body) => {
      const { data, response } = await told(http.PUT('/v1/secrets/{name}', { ...named(name), body }));
      return withCreated(response, readAs(data, (await loadShapes()).SecretListed));
    },
    removeSecret: async (name, query) => {
      await told(http.DELETE('/v1/secrets/{name}', { ...named(name), ...typed(query) }));
    },
  };
}

type PeopleCalls = Pick<LibraryClient, 'people' | 'putPerson' | 'removePerson'>;

function peopleCalls({ http, told }: ServerCalls): PeopleCalls {
  return {
    people: async (query) => {
      const { data } = await told(http.GET('/v1/people', typed(query)));
      return readAs(data, (await loadShapes()).PersonList);
    },
    putPerson: async (name, body) => {
      const { data, response } = await told(http.PUT('/v1/people/{name}', { ...named(name), body }));
      return withCreated(response, readAs(data, (await loadShapes()).PersonPut));
    },
    removePerson: async (name) => {
      await told(http.DELETE('/v1/people/{name}', named(name)));
    },
  };
}

function sourceCalls({ http, told }: ServerCalls): Pick<LibraryClient, 'sources' | 'putSource'> {
  return {
    sources: async (query) => {
      const { data } = await told(http.GET('/v1/sources', typed(query)));
      return readAs(data, (await loadShapes()).SourceList);
    },
    putSource: async (label, body) => {
      const { data } = await told(http.PUT('/v1/sources/{label}', { params: { path: { label } }, body }));
      return readAs(data, (await loadShapes()).Source);
    },
  };
}

/** Every member of a list that goes by cursor. */
export async function everyPage<Page extends { cursor?: string | undefined }, Member>(
  ask: (query: Record<string, string>) => Promise<Page>,
  membersOf: (page: Page) => readonly Member[],
): Promise<Member[]> {
  const members: Member[] = [];
  let query: Record<string, string> | undefined = {};
  while (query !== undefined) {
    const page: Page = await ask(query);
    members.push(...membersOf(page));
    query = page.cursor === undefined ? undefined : { cursor: page.cursor };
  }
  return members;
}

function withCreated<T>(response: Response, body: T): Put<T> {
  return { ...body, created: response.status === 201 };
}

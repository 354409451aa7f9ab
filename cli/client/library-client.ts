import type {
  DefinitionList,
  DefinitionShown,
  PersonList,
  PersonPut,
  PutDefinition,
  PutPerson,
  PutSecret,
  SecretList,
  SecretListed,
} from '#core/contract/library.ts';

import { readAs, send, type ServerAddress } from '#cli/client/http-exchange.ts';

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
}

const loadShapes = () => import('#core/contract/library.ts');

export function createLibraryClient(server: ServerAddress): LibraryClient {
  const get = (path: string, query: Record<string, string> = {}) => send(server, `${path}${searchOf(query)}`);
  const put = (path: string, body: unknown) => send(server, path, { method: 'PUT', body });
  const remove = async (path: string, query: Record<string, string> = {}) => {
    await send(server, `${path}${searchOf(query)}`, { method: 'DELETE' });
  };
  return {
    definitions: async (query) => readAs(await get('/v1/definitions', query), (await loadShapes()).DefinitionList),
    definition: async (name, query) =>
      readAs(await get(pathOf('definitions', name), query), (await loadShapes()).DefinitionShown),
    putDefinition: async (name, body) => {
      const response = await put(pathOf('definitions', name), body);
      return withCreated(response, await readAs(response, (await loadShapes()).DefinitionShown));
    },
    secrets: async (query) => readAs(await get('/v1/secrets', query), (await loadShapes()).SecretList),
    putSecret: async (name, body) => {
      const response = await put(pathOf('secrets', name), body);
      return withCreated(response, await readAs(response, (await loadShapes()).SecretListed));
    },
    removeSecret: (name, query) => remove(pathOf('secrets', name), query),
    people: async (query) => readAs(await get('/v1/people', query), (await loadShapes()).PersonList),
    putPerson: async (name, body) => {
      const response = await put(pathOf('people', name), body);
      return withCreated(response, await readAs(response, (await loadShapes()).PersonPut));
    },
    removePerson: (name) => remove(pathOf('people', name)),
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

function pathOf(kind: string, name: string): string {
  return `/v1/${kind}/${encodeURIComponent(name)}`;
}

function searchOf(query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return search === '' ? '' : `?${search}`;
}

function withCreated<T>(response: Response, body: T): Put<T> {
  return { ...body, created: response.status === 201 };
}

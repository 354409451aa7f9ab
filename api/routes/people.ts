import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { PersonList, PersonName, PersonPut, PutPerson } from '#core/contract/library.ts';
import { Principal } from '#core/contract/principal.ts';
import { present } from '#core/definition/present.ts';
import { newPersonToken, principalOf, requireAdmin } from '#api/http/bearer.ts';
import { pageOf, PageQuery } from '#api/http/page.ts';
import { ApiProblem } from '#api/http/problem.ts';
import { refusalsOf } from '#api/openapi/refusals.ts';
import type { ApiParts } from '#api/parts.ts';

const params = z.object({ name: PersonName });
const ada = { name: 'ada', teams: ['web'], admin: false, createdAt: '2026-11-30T15:06:56.487Z' };
const token = 'spp_4bC0r1Zk0q9m2uXvWn7yT8sLdEfGhIjKlMnOpQrStUv';

const meRoute = createRoute({
  method: 'get',
  path: '/v1/me',
  operationId: 'showMe',
  tags: ['People'],
  summary: 'Who the token belongs to',
  responses: {
    200: {
      description: 'The principal of this request; the owner of the server is in all teams',
      content: {
        'application/json': { schema: Principal, example: { name: 'ada', teams: ['web'], admin: false } },
      },
    },
    ...refusalsOf(),
  },
});

const listRoute = createRoute({
  method: 'get',
  path: '/v1/people',
  operationId: 'listPeople',
  tags: ['People'],
  summary: 'List people, by name',
  request: { query: PageQuery },
  responses: {
    200: {
      description: 'A page; `cursor` leads to the next one and is absent on the last',
      content: { 'application/json': { schema: PersonList, example: { people: [ada] } } },
    },
    ...refusalsOf(),
  },
});

const putRoute = createRoute({
  method: 'put',
  path: '/v1/people/{name}',
  operationId: 'putPerson',
  tags: ['People'],
  summary: 'Add a person, or change one (admins)',
  request: {
    params,
    body: {
      required: true,
      content: { 'application/json': { schema: PutPerson, example: { teams: ['web'], admin: false } } },
    },
  },
  responses: {
    201: {
      description: 'The new person, with the token; it cannot be shown again',
      content: { 'application/json': { schema: PersonPut, example: { ...ada, token } } },
    },
    200: {
      description: 'The changed person; with `newToken` the new token, and the one before is no longer valid',
      content: { 'application/json': { schema: PersonPut, example: ada } },
    },
    ...refusalsOf('http/forbidden'),
  },
});

const removeRoute = createRoute({
  method: 'delete',
  path: '/v1/people/{name}',
  operationId: 'removePerson',
  tags: ['People'],
  summary: 'Remove a person (admins); the token ends at once',
  request: { params },
  responses: { 204: { description: 'Removed' }, ...refusalsOf('http/forbidden', 'person/not-found') },
});

/** Who may talk to the server. */
export function routePeople(app: OpenAPIHono, { people, owner }: ApiParts): void {
  app.openapi(meRoute, (c) => c.json(principalOf(c), 200));
  app.openapi(listRoute, async (c) => {
    const { cursor, limit } = c.req.valid('query');
    const found = await people.list({ limit: limit + 1, ...present({ after: cursor }) });
    const { page, ...next } = pageOf(found, limit, ({ name }) => name);
    return c.json({ people: page, ...next }, 200);
  });
  app.openapi(putRoute, async (c) => {
    requireAdmin(c, 'Adding people');
    const { name } = c.req.valid('param');
    if (name === owner.name) throw ownersName(name);
    const { teams, admin, newToken = false } = c.req.valid('json');
    const { token: made, tokenSha256 } = newPersonToken();
    const { person, created, hasToken } = await people.put({ name, teams, admin, newToken, tokenSha256 });
    return c.json({ ...person, ...(hasToken ? { token: made } : {}) }, created ? 201 : 200);
  });
  app.openapi(removeRoute, async (c) => {
    requireAdmin(c, 'Removing people');
    const { name } = c.req.valid('param');
    if (await people.remove(name)) return c.body(null, 204);
    throw new ApiProblem('person/not-found', {
      detail: `There is nobody called ${name}.`,
      remedy: 'See who there is: setpoint people.',
    });
  });
}

/** Two people of one name could decide about each other's work as if they were one (D5). */
function ownersName(name: string): ApiProblem {
  return new ApiProblem('http/bad-request', {
    detail: `${name} is the owner of this server, whose token is the server's own.`,
    remedy: 'Take another name, or give the server another owner: SETPOINT_USER.',
  });
}

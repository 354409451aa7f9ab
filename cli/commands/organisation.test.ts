import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { scriptedContext } from '#cli/testing/scripted-context.ts';
import { json, problem, type ScriptedServer, startScriptedServer } from '#cli/testing/scripted-server.ts';

const source = 'task: Mend it.\nagent: codex\nchecks: [npm test]\n';
const at = '2030-03-17T17:46:40.000Z';
const green = { project: 'default', name: 'green', version: 2, dialect: 'native', createdBy: 'ada', createdAt: at };
const secret = { project: 'default', name: 'NPM_TOKEN', updatedAt: at };
const ada = { name: 'ada', teams: ['web'], admin: false, createdAt: at };

let cwd: string;
let server: ScriptedServer;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'setpoint-cli-'));
  await writeFile(join(cwd, 'green.loop.yaml'), source);
  server = await startScriptedServer();
});
afterEach(async () => {
  await server.stop();
  await rm(cwd, { recursive: true, force: true });
});

function run(argv: string[], answer?: string) {
  const scripting = { cwd, environment: { url: server.url }, ...(answer === undefined ? {} : { answer }) };
  return scriptedContext(scripting).run(...argv);
}
const sent = () => server.received.map(({ method, path }) => `${method} ${path}`);
const bodySent = () => JSON.parse(server.received[0]?.body ?? '') as unknown;

test.each([[['definitions']], [['definitions', 'list']]])('%j is a table over every page', async (argv) => {
  server.on('GET /v1/definitions', (received, response) => {
    const first = !received.path.includes('cursor=');
    json({ definitions: [green], ...(first ? { cursor: 'green:default' } : {}) })(received, response);
  });
  const { code, out } = await run([...argv, '--project', 'web']);
  expect(code).toBe(0);
  expect(out[0]).toMatch(/^NAME +VERSION +DIALECT/);
  expect(out.slice(1)).toEqual(Array(2).fill(expect.stringMatching(/^green +2 +native +default .* ada$/)));
  expect(sent()).toEqual(['GET /v1/definitions?project=web', expect.stringContaining('cursor=green%3Adefault')]);
});

test('definitions put sends the text under the name of the file, and says the version', async () => {
  server.on('PUT /v1/definitions/green', json({ ...green, source }, 201));
  const { code, err } = await run(['definitions', 'put', 'green.loop.yaml', '--project', 'web']);
  expect(code).toBe(0);
  expect(bodySent()).toEqual({ source, project: 'web' });
  expect(err).toEqual(['green is stored as version 2. Run it: setpoint run green']);
  server.on('PUT /v1/definitions/green', json({ ...green, source }, 200));
  expect((await run(['definitions', 'put', 'green.loop.yaml'])).err.join()).toContain('was stored before');
});

test('definitions put tells every issue as a line of the file, exit 2', async () => {
  const issue = { path: 'chekcs', code: 'definition/unknown-key', message: 'unknown key', severity: 'error', line: 3 };
  server.on('PUT /v1/definitions/n', problem(422, 'definition/invalid', 'not valid', { issues: [issue] }));
  const { code, err } = await run(['definitions', 'put', 'green.loop.yaml', '--name', 'n']);
  expect([code, err[0]]).toEqual([2, 'green.loop.yaml:3:1 definition/unknown-key unknown key']);
});

test('a file whose name is none needs --name, exit 2', async () => {
  const { code, err } = await run(['definitions', 'put', 'Green Tests.yaml']);
  expect([code, sent()]).toEqual([2, []]);
  expect(err.join()).toContain('--name');
});

test('definitions show prints the text as it was stored, of the version that is named', async () => {
  server.on('GET /v1/definitions/green', json({ ...green, source }));
  const { code, out } = await run(['definitions', 'show', 'green@2']);
  expect([code, out, sent()]).toEqual([0, [source], ['GET /v1/definitions/green?version=2']]);
});

test('H4: secrets set asks for the value and shows it nowhere; an argument is refused', async () => {
  server.on('PUT /v1/secrets/NPM_TOKEN', json(secret, 201));
  const { code, out, err } = await run(['secrets', 'set', 'NPM_TOKEN'], 'npm_value');
  expect([code, bodySent()]).toEqual([0, { value: 'npm_value' }]);
  expect([...out, ...err].join()).not.toContain('npm_value');
  const typed = await run(['secrets', 'set', 'NPM_TOKEN', 'npm_value']);
  expect(typed.code).toBe(2);
  expect(typed.err.join()).not.toContain('npm_value');
  expect((await run(['secrets', 'set', 'NPM_TOKEN'], '')).code).toBe(2);
  expect(server.received).toHaveLength(1);
});

test('secrets are listed by name and date, and removed', async () => {
  server.on('GET /v1/secrets', json({ secrets: [secret] }));
  expect((await run(['secrets'])).out[1]).toMatch(/^NPM_TOKEN +default +2030-03-17 17:46:40$/);
  server.on('DELETE /v1/secrets/NPM_TOKEN', (_received, response) => void response.writeHead(204).end());
  expect((await run(['secrets', 'remove', 'NPM_TOKEN', '--project', 'web'])).code).toBe(0);
  expect(sent().at(-1)).toBe('DELETE /v1/secrets/NPM_TOKEN?project=web');
});

test('people add prints the token alone on stdout', async () => {
  server.on('PUT /v1/people/ada', json({ ...ada, token: 'spp_x' }, 201));
  const { code, out, err } = await run(['people', 'add', 'ada', '--team', 'web', '--team', 'ops', '--admin']);
  expect([code, out, bodySent()]).toEqual([0, ['spp_x'], { teams: ['web', 'ops'], admin: true }]);
  expect(err[0]).toBe('ada is added: in web.');
});

test('people add leaves what is not given, and takes the role away by --no-admin', async () => {
  server.on('PUT /v1/people/ada', json(ada));
  const { out } = await run(['people', 'add', 'ada']);
  expect([out, bodySent()]).toEqual([[], {}]);
  await run(['people', 'add', 'ada', '--no-admin', '--new-token']);
  expect(JSON.parse(server.received[1]?.body ?? '')).toEqual({ admin: false, newToken: true });
});

test('people are listed and removed; who may not is told so, exit 5', async () => {
  server.on('GET /v1/people', json({ people: [ada, { ...ada, name: 'bob', teams: [], admin: true }] }));
  const { out } = await run(['people']);
  expect(out.slice(1)).toEqual([expect.stringMatching(/^ada +- +web$/), expect.stringMatching(/^bob +admin$/)]);
  server.on('DELETE /v1/people/ada', problem(403, 'http/forbidden', 'Not you.', { remedy: 'Ask an admin.' }));
  const refused = await run(['people', 'remove', 'ada']);
  expect([refused.code, refused.err]).toEqual([5, ['setpoint: Not you. (http/forbidden)', '  remedy: Ask an admin.']]);
});

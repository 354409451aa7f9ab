// Writes docs/openapi.json and, from it, client/schema.ts, operations.ts and index.ts. `--check` writes nothing and fails when
// one is stale. The document is taken from the built app itself, whose parts are never called: run `npm run build` first.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createApp } from '../dist/api/app.js';
import { openApiDocument } from '../dist/api/openapi/document.js';
import { typesOf } from './openapi-types/generator.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const note =
  '// Generated from docs/openapi.json by scripts/generate-client.mjs: change the routes, then npm run generate.\n';
const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Problems are thrown by the client, and examples are for readers: neither needs a type. */
function typed(document) {
  const { responses: _problems, ...components } = document.components;
  const paths = mapValues(document.paths, (item) =>
    mapValues(item, (operation) => ({
      ...operation,
      responses: Object.fromEntries(Object.entries(operation.responses).filter(([status]) => isSuccess(status))),
    })),
  );
  return JSON.parse(
    JSON.stringify({ ...document, paths, components }, (key, value) =>
      isContent(key, value) ? schemasOf(value) : value,
    ),
  );
}

const isContent = (key, value) =>
  key === 'content' && Object.values(value).every((media) => media?.schema !== undefined);
const schemasOf = (content) => mapValues(content, ({ schema }) => ({ schema }));

async function schemaText(document) {
  return `${note}\n${await typesOf(typed(document))}`;
}

function indexText(document) {
  const names = Object.keys(document.components.schemas);
  return `${note}
/** What \`setpoint/client\` exports: the client, its errors, and the shapes of the API. */
export type { FeedPatience, WatchOptions } from '#client/event-feed.ts';
export type { CallOptions, Http, SetpointServer } from '#client/http.ts';
export { SetpointProblem, SetpointUnreachable } from '#client/problem.ts';
export type { components, operations, paths, ${names.toSorted().join(', ')} } from '#client/schema.ts';
export { createSetpointClient, type SetpointClient } from '#client/setpoint-client.ts';
`;
}

function operationsText(document) {
  const found = Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method] !== undefined && !isProbe(item[method]))
      .map((method) => ({ id: item[method].operationId, text: functionText({ path, method }, item[method]) })),
  );
  const calls = found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ text }) => text);
  const used = ['answerOf', 'doneOf', 'textOf'].filter((name) => calls.some((text) => text.includes(`${name}(`)));
  return `${note}
import { ${used.join(', ')}, type CallOptions, type Http } from '#client/http.ts';
import type { operations } from '#client/schema.ts';

/** Every call of the API by its operationId. Each throws \`SetpointProblem\` or \`SetpointUnreachable\`. */
export function createOperations(http: Http) {
  return {
${calls.join('\n')}
  };
}
`;
}

/** A call as a method: the parameters of its path in order, then what else it takes by name. */
function functionText({ path, method }, operation) {
  const { operationId, summary, parameters = [] } = operation;
  if (operationId === undefined) throw new Error(`${method} ${path} needs an operationId: the name of its method`);
  const names = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
  const given = [...parametersOf(operation, 'query'), ...parametersOf(operation, 'header'), ...bodyOf(operation)];
  const fields = given.map(({ name, required, type }) => `${name}${required ? '' : '?'}: ${type}`);
  const taken =
    given.length === 0 ? 'options' : `{ ${[...given.map(({ pattern }) => pattern), '...options'].join(', ')} }`;
  const type = given.length === 0 ? 'CallOptions' : `{ ${fields.join('; ')} } & CallOptions`;
  const optional = given.every(({ required }) => !required);
  const args = [...names.map((name) => `${name}: string`), `${taken}: ${type}${optional ? ' = {}' : ''}`];
  const places = given.filter(({ name }) => name !== 'body').map(({ name }) => name);
  const params = [...(names.length > 0 ? [`path: { ${names.join(', ')} }`] : []), ...places];
  const { reader, parseAs } = readerOf(operation);
  const init = [
    '...options',
    ...(params.length > 0 ? [`params: { ${params.join(', ')} }`] : []),
    ...given.filter(({ name }) => name === 'body').map(({ sent }) => sent),
    ...(parseAs === undefined ? [] : [`parseAs: '${parseAs}'`]),
  ];
  return `    /** ${summary}. */
    ${operationId}: (${args.join(', ')}) =>
      ${reader}(http.${method.toUpperCase()}('${path}', { ${init.join(', ')} })),`;
}

function parametersOf({ operationId, parameters = [] }, place) {
  const own = parameters.filter((one) => one.in === place);
  if (own.length === 0) return [];
  const required = own.some((one) => one.required);
  const type = `operations['${operationId}']['parameters']['${place}']`;
  return [{ name: place, required, type, pattern: required ? place : `${place} = {}` }];
}

function bodyOf({ operationId, requestBody }) {
  if (requestBody === undefined) return [];
  if (requestBody.content['application/json'] === undefined)
    throw new Error(`${operationId} takes no JSON: say here how its body is sent`);
  const required = requestBody.required === true;
  const own = `operations['${operationId}']['requestBody']`;
  const type = `${required ? own : `NonNullable<${own}>`}['content']['application/json']`;
  return [
    {
      name: 'body',
      required,
      type,
      pattern: 'body',
      sent: required ? 'body' : '...(body === undefined ? {} : { body })',
    },
  ];
}

function readerOf({ responses }) {
  const successes = Object.entries(responses).filter(([status]) => isSuccess(status));
  const kinds = successes.flatMap(([, { content = {} }]) => Object.keys(content));
  if (kinds.length === 0) return { reader: 'doneOf' };
  return kinds.includes('application/json') ? { reader: 'answerOf' } : { reader: 'textOf', parseAs: 'text' };
}

const isSuccess = (status) => status.startsWith('2');
/** Open to everybody: for what watches the server, not for what uses it. */
const isProbe = ({ security }) => security?.length === 0;
const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

const document = openApiDocument(createApp({ token: '' }));
const wanted = new Map([
  ['docs/openapi.json', `${JSON.stringify(document, null, 1)}\n`],
  ['client/schema.ts', await schemaText(document)],
  ['client/operations.ts', operationsText(document)],
  ['client/index.ts', indexText(document)],
]);
const textOf = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined);
const stale = [...wanted].filter(([path, text]) => textOf(path) !== text).map(([path]) => path);

if (process.argv.includes('--check')) {
  for (const path of stale) console.error(`${path} is missing or stale`);
  if (stale.length > 0) {
    console.error('Run: npm run generate');
    process.exitCode = 1;
  }
} else {
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), wanted.get(path));
  }
  console.log(`the client: ${stale.length} of ${wanted.size} files written`);
}

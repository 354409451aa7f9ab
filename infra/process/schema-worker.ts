import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

export type SchemaOutcome =
  | { kind: 'valid'; value: unknown }
  | { kind: 'invalid'; errors: string[]; problems: SchemaProblem[] }
  | { kind: 'not_json'; reason: string }
  | { kind: 'bad_schema'; reason: string }
  | { kind: 'timeout' };

/** `path` is dotted, from the root of the value. */
export interface SchemaProblem {
  path: string;
  message: string;
}

const limitMs = 2_000;

/** Kept as text, so that it runs the same from sources and from a build; Ajv is loaded by the paths it is given. */
const source = `
const { parentPort, workerData } = require('node:worker_threads');
const Ajv = require(workerData.ajv).default;
const addFormats = require(workerData.formats).default;
function judge() {
  let schema, value, validate;
  try { schema = JSON.parse(workerData.schema); } catch (error) { return { kind: 'bad_schema', reason: error.message }; }
  try { value = JSON.parse(workerData.text); } catch (error) { return { kind: 'not_json', reason: error.message }; }
  const ajv = new Ajv({ allErrors: true, strict: false, logger: false, useDefaults: workerData.fill });
  addFormats(ajv);
  try { validate = ajv.compile(schema); } catch (error) { return { kind: 'bad_schema', reason: error.message }; }
  if (validate(value)) return { kind: 'valid', value };
  const found = validate.errors.slice(0, 50);
  const errors = found.map((error) => (error.instancePath || '/') + ' ' + error.message);
  return { kind: 'invalid', errors, problems: found.map(problem) };
}
function problem({ instancePath, keyword, params, message }) {
  const at = instancePath.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'required') return { path: [...at, params.missingProperty].join('.'), message: 'is missing' };
  if (keyword === 'additionalProperties') {
    return { path: [...at, params.additionalProperty].join('.'), message: 'is not asked for' };
  }
  const values = keyword === 'enum' ? params.allowedValues.slice(0, 20) : keyword === 'const' ? [params.allowedValue] : [];
  if (values.length > 0) return { path: at.join('.'), message: 'must be ' + values.map((one) => JSON.stringify(one)).join(' or ') };
  return { path: at.join('.'), message };
}
function flaw(text) {
  try {
    new Ajv({ strict: false, logger: false }).compile(JSON.parse(text));
    return null;
  } catch (error) {
    return error.message;
  }
}
parentPort.postMessage('ready');
parentPort.postMessage(workerData.schemas === undefined ? judge() : workerData.schemas.map(flaw));
`;

/**
 * Holds a text against a JSON Schema that a person wrote, in a thread that is killed when it takes too long. `fill` puts the
 * defaults of the schema into what is left out.
 */
export async function validateJson(schema: string, text: string, { fill = false } = {}): Promise<SchemaOutcome> {
  return (await inThread<SchemaOutcome>({ schema, text, fill })) ?? { kind: 'timeout' };
}

/** Of each JSON Schema why it cannot be used, null for one that can; undefined when that took too long to find out. */
export function schemaFlaws(schemas: readonly string[]): Promise<(string | null)[] | undefined> {
  return inThread<(string | null)[]>({ schemas });
}

/** What the thread answers; undefined when it did not in time. */
async function inThread<T>(asked: Readonly<Record<string, unknown>>): Promise<T | undefined> {
  const require = createRequire(import.meta.url);
  const paths = { ajv: require.resolve('ajv/dist/2020'), formats: require.resolve('ajv-formats') };
  const worker = new Worker(source, { eval: true, workerData: { ...asked, ...paths } });
  try {
    return await new Promise<T | undefined>((done, failed) => {
      // Counted from when the validator is loaded, which takes its time on a busy machine.
      worker.once('message', () => {
        const timer = setTimeout(() => done(undefined), limitMs);
        worker.once('message', (answer: T) => {
          clearTimeout(timer);
          done(answer);
        });
      });
      worker.once('error', failed);
    });
  } finally {
    await worker.terminate();
  }
}

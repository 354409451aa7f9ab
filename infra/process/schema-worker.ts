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
parentPort.postMessage(judge());
`;

/**
 * Holds a text against a JSON Schema that a person wrote, in a thread that is killed when it takes too long. `fill` puts the
 * defaults of the schema into what is left out.
 */
export async function validateJson(schema: string, text: string, { fill = false } = {}): Promise<SchemaOutcome> {
  const require = createRequire(import.meta.url);
  const paths = { ajv: require.resolve('ajv/dist/2020'), formats: require.resolve('ajv-formats') };
  const worker = new Worker(source, { eval: true, workerData: { schema, text, fill, ...paths } });
  try {
    return await new Promise<SchemaOutcome>((done, failed) => {
      const timer = setTimeout(() => done({ kind: 'timeout' }), limitMs);
      worker.once('message', (outcome: SchemaOutcome) => {
        clearTimeout(timer);
        done(outcome);
      });
      worker.once('error', failed);
    });
  } finally {
    await worker.terminate();
  }
}

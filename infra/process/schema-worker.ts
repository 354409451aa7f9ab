import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

export type SchemaOutcome =
  | { kind: 'valid' }
  | { kind: 'invalid'; errors: string[] }
  | { kind: 'not_json'; reason: string }
  | { kind: 'bad_schema'; reason: string }
  | { kind: 'timeout' };

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
  const ajv = new Ajv({ allErrors: true, strict: false, logger: false });
  addFormats(ajv);
  try { validate = ajv.compile(schema); } catch (error) { return { kind: 'bad_schema', reason: error.message }; }
  if (validate(value)) return { kind: 'valid' };
  const errors = validate.errors.slice(0, 50).map((error) => (error.instancePath || '/') + ' ' + error.message);
  return { kind: 'invalid', errors };
}
parentPort.postMessage(judge());
`;

/** Holds a text against a JSON Schema that a person wrote, in a thread that is killed when it takes too long. */
export async function validateJson(schema: string, text: string): Promise<SchemaOutcome> {
  const require = createRequire(import.meta.url);
  const paths = { ajv: require.resolve('ajv/dist/2020'), formats: require.resolve('ajv-formats') };
  const worker = new Worker(source, { eval: true, workerData: { schema, text, ...paths } });
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

import { resolve } from 'node:path';
import type { CheckPlan } from '#core/check/check-plan.ts';
import type { Verdict } from '#core/check/verdict.ts';
import type { JudgeInput } from '#core/contract/activities.ts';
import { Fault } from '#core/contract/fault.ts';
import { heardText } from '#activities/heard.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { digestOf, putText } from '#activities/texts.ts';
import { readFileAt } from '#infra/git/tree.ts';
import { type SchemaOutcome, validateJson } from '#infra/process/schema-worker.ts';
import { readFile } from 'node:fs/promises';

type SchemaCheck = Extract<CheckPlan, { kind: 'schema' }>;

/**
 * A `schema` check: the output of a step is JSON that satisfies the schema. The schema file is read at the base commit,
 * where the work cannot have changed it.
 */
export async function judgeSchema(
  deps: Pick<HostDeps, 'artifacts'>,
  input: Pick<JudgeInput, 'scope' | 'workspace' | 'heard'>,
  check: SchemaCheck,
): Promise<Verdict> {
  const started = performance.now();
  const ref = input.scope.outputs[check.of];
  if (ref === undefined) return verdict('missing', { summary: `step ${check.of} has no output` }, started);
  const schema = await schemaOf(input, check);
  const outcome = await validateJson(schema, await heardText(deps.artifacts, ref, input.heard?.[check.of]));
  const { kind, detail, ...first } = told(outcome);
  // A parser quotes the text, line ends and all; a verdict is told in one line.
  const summary = first.summary.replace(/\s+/g, ' ');
  if (detail === undefined) return verdict(kind, { summary }, started);
  return verdict(kind, { summary, feedback: await putText(deps.artifacts, detail, []) }, started);
}

async function schemaOf(input: Pick<JudgeInput, 'workspace'>, check: SchemaCheck): Promise<string> {
  if ('inline' in check.schema) return JSON.stringify(check.schema.inline);
  const { file } = check.schema;
  const { base, path, plan } = input.workspace;
  if (base === undefined) return readSchemaFile(resolve(path, file));
  return readFileAt({ repo: resolve(plan.repo), commit: base.commit, path: file });
}

async function readSchemaFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Fault('schema/invalid', `The schema file ${path} cannot be read. Write it, or correct the path.`, {
      cause: error,
    });
  }
}

function told(outcome: SchemaOutcome): { kind: Verdict['kind']; summary: string; detail?: string } {
  switch (outcome.kind) {
    case 'valid':
      return { kind: 'pass', summary: 'the output satisfies the schema' };
    case 'not_json':
      return { kind: 'fail', summary: `the output is no JSON: ${outcome.reason}`, detail: outcome.reason };
    case 'invalid': {
      const summary = `the output does not satisfy the schema: ${outcome.errors[0] ?? ''}`;
      return { kind: 'fail', summary, detail: outcome.errors.join('\n') };
    }
    case 'bad_schema':
      return { kind: 'error', summary: `the schema cannot be used: ${outcome.reason}` };
    case 'timeout':
      return { kind: 'error', summary: 'the schema took too long on this output' };
  }
}

function verdict(
  kind: Verdict['kind'],
  evidence: Pick<Verdict['evidence'], 'summary' | 'feedback'>,
  started: number,
): Verdict {
  const durationMs = Math.round(performance.now() - started);
  return { kind, evidence: { ...evidence, digest: digestOf(evidence.summary), durationMs }, findings: [] };
}

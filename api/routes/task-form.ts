import { z } from 'zod';
import { unreachable } from '#core/exhaustive.ts';
import type { DecisionKind } from '#core/task/question.ts';
import type { TaskRow } from '#infra/postgres/task-store.ts';
import { type SchemaOutcome, type SchemaProblem, validateJson } from '#infra/process/schema-worker.ts';
import { ApiProblem } from '#api/http/problem.ts';

type Form = Record<string, unknown>;

/** A form travels in the run's record (decision 5), in bytes of JSON. */
const mostBytes = 8 * 1024;

/**
 * The form with the defaults of the task's schema, held against it (D2). An approval needs all that the schema requires, and
 * so does a push back that has a schema of its own (D-10); else whoever rejects or pushes back may leave the form away. Of a question that is no longer open (`isOpen`) nothing is refused
 * here: the run says whether the answer is the one that was given. Throws the problem `task/form-invalid` with every issue.
 */
export async function filledForm(
  task: TaskRow & { isOpen: boolean },
  kind: DecisionKind,
  given: Form | undefined,
): Promise<Form | undefined> {
  const { form, pushBackForm } = task.record.question;
  const own = kind === 'push_back' ? pushBackForm : undefined;
  const schema = own ?? form;
  const mayBeAbsent = kind !== 'approve' && own === undefined;
  const held = schema === undefined ? withoutSchema(given) : await withSchema(schema, mayBeAbsent, given);
  if ('form' in held) return held.form;
  if (!task.isOpen) return given;
  throw invalid(task.taskId, held.problems);
}

type Held = { form: Form | undefined } | { problems: SchemaProblem[] };

function withoutSchema(given: Form | undefined): Held {
  const isEmpty = given === undefined || Object.keys(given).length === 0;
  if (isEmpty) return { form: undefined };
  return { problems: [{ path: '', message: 'is not asked for: the task has no form' }] };
}

async function withSchema(schema: Form, mayBeAbsent: boolean, given: Form | undefined): Promise<Held> {
  if (given === undefined && mayBeAbsent) return { form: undefined };
  const held = heldBy(await validateJson(JSON.stringify(schema), JSON.stringify(given ?? {}), { fill: true }));
  if (!('form' in held) || held.form === undefined) return held;
  const bytes = Buffer.byteLength(JSON.stringify(held.form));
  if (bytes > mostBytes) return { problems: [{ path: '', message: `has ${bytes} bytes; ${mostBytes} are the most` }] };
  return given === undefined && Object.keys(held.form).length === 0 ? { form: undefined } : held;
}

function heldBy(outcome: SchemaOutcome): Held {
  switch (outcome.kind) {
    case 'valid':
      return { form: z.record(z.string(), z.unknown()).parse(outcome.value) };
    case 'invalid':
      return { problems: outcome.problems };
    case 'not_json':
      return { problems: [{ path: '', message: outcome.reason }] };
    case 'bad_schema':
      return { problems: [{ path: '', message: `cannot be checked, its schema is none: ${outcome.reason}` }] };
    case 'timeout':
      return { problems: [{ path: '', message: 'took too long to check: a pattern of its schema runs away' }] };
    default:
      return unreachable(outcome);
  }
}

function invalid(taskId: string, problems: readonly SchemaProblem[]): ApiProblem {
  const issues = problems.map(({ path, message }) => {
    return {
      path: path === '' ? 'form' : `form.${path}`,
      code: 'task/form-invalid',
      message,
      severity: 'error' as const,
    };
  });
  return new ApiProblem('task/form-invalid', {
    detail: issues.map(({ path, message }) => `${path} ${message}`).join('; '),
    remedy: `See its fields: setpoint tasks show ${taskId}.`,
    issues,
  });
}

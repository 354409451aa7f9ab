import { errorAt } from '#core/issue/issue.ts';
import type { Plan } from '#core/plan/plan.ts';
import { schemaFlaws } from '#infra/process/schema-worker.ts';
import { invalidDefinition } from '#api/routes/compile-run.ts';

interface Form {
  path: string;
  schema: string;
}

/**
 * The problem `definition/invalid` when a form of the plan, or of one that it calls, cannot be used: the task could never be
 * approved. Their shape was checked when the plan was compiled; this is what only the validator knows.
 */
export async function requireForms(plan: Plan): Promise<void> {
  const forms = formsOf(plan, '');
  if (forms.length === 0) return;
  const schemas = [...new Set(forms.map(({ schema }) => schema))];
  const flaws = await schemaFlaws(schemas);
  const flawOf = new Map(schemas.map((schema, index) => [schema, flaws === undefined ? tooLong : flaws[index]]));
  const issues = forms.flatMap(({ path, schema }) => {
    const flaw = flawOf.get(schema);
    return flaw == null ? [] : [errorAt(path, 'person/bad-form', `the form cannot be used: ${flaw}`)];
  });
  if (issues.length > 0) throw invalidDefinition(issues);
}

const tooLong = 'reading it took too long';

function formsOf({ steps, children = {} }: Plan, at: string): Form[] {
  const own = steps.flatMap(({ id, work }) => {
    if (work.kind !== 'person') return [];
    return (['form', 'pushBackForm'] as const).flatMap((key) => {
      const form = work[key];
      return form === undefined ? [] : [{ path: `${at}steps.${id}.person.${key}`, schema: JSON.stringify(form) }];
    });
  });
  return [...own, ...Object.entries(children).flatMap(([name, child]) => formsOf(child, `${at}definitions.${name}.`))];
}

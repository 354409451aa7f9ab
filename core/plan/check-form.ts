import { errorAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { formProblems } from '#core/task/form.ts';

/** A form must be one that answers can be held against (D2). */
export function checkForm(compiling: Compiling, path: string, form: Record<string, unknown> | undefined): void {
  if (form === undefined) return;
  for (const { path: inside, message } of formProblems(form)) {
    const what = inside === '' ? 'the form' : `the form, at \`${inside}\`:`;
    compiling.issues.push(errorAt(inside === '' ? path : `${path}.${inside}`, 'person/bad-form', `${what} ${message}`));
  }
}

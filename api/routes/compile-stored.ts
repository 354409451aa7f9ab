import type { StartRun } from '#core/contract/http.ts';
import { defaults } from '#core/definition/defaults.ts';
import type { ApiParts } from '#api/parts.ts';
import { callableFrom } from '#api/routes/callable.ts';
import { requireForms } from '#api/routes/check-forms.ts';
import { type CompiledPlan, compileRequest } from '#api/routes/compile-run.ts';
import { withStoredText } from '#api/routes/stored-definition.ts';

/** `request`: with the text of the definition that it names. */
export interface CompiledRequest {
  request: StartRun;
  compiled: CompiledPlan;
}

/** With what is stored: the definition itself, where the request only names it, and those that it calls. */
export async function compileStored({ definitions }: ApiParts, request: StartRun): Promise<CompiledRequest> {
  const whole = await withStoredText(definitions, request);
  const project = request.name === undefined ? request.project : (request.project ?? defaults.project);
  const compiled = compileRequest(whole, await callableFrom(definitions, whole, { project }));
  await requireForms(compiled.plan);
  return { request: whole, compiled };
}

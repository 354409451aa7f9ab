import { parseTemplate } from '#core/template/parse.ts';

/** A value that a template names. `offset` is where its `{{` begins. */
export interface TemplateReference {
  path: string;
  offset: number;
}

/** Every value that a template names, in `{{path}}` and in `{{#if path}}`, in order, repeated names included. */
export function templateReferences(template: string): TemplateReference[] {
  const references: TemplateReference[] = [];
  for (const part of parseTemplate(template).parts) {
    if (part.kind === 'insert' || part.kind === 'if') references.push({ path: part.path, offset: part.offset });
  }
  return references;
}

/**
 * The outputs that a template needs, each once, by the key under which a run keeps them: `plan` of `steps.plan.output`,
 * `audit.outputs.report` of `steps.audit.outputs.report`. The host fetches them before it renders.
 */
export function outputsNeeded(template: string): string[] {
  const keys = new Set<string>();
  for (const { path } of templateReferences(template)) {
    const output = outputOfReference(path);
    if (output !== undefined)
      keys.add(output.name === undefined ? output.step : `${output.step}.outputs.${output.name}`);
  }
  return [...keys];
}

/** Whose output a path names: `steps.plan.output`, or `steps.audit.outputs.report` by its name; undefined for any other path. */
export function outputOfReference(path: string): { step: string; name?: string } | undefined {
  const [, step, rest, name] = /^steps\.([\w-]+)\.(output|outputs\.([\w-]+))$/.exec(path) ?? [];
  if (step === undefined || rest === undefined) return undefined;
  return name === undefined ? { step } : { step, name };
}

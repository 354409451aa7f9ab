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

/** The ids of the steps whose outputs a template needs, each once: what the host fetches before it renders. */
export function outputsNeeded(template: string): string[] {
  const ids = new Set<string>();
  for (const { path } of templateReferences(template)) {
    const step = stepOfReference(path);
    if (step !== undefined) ids.add(step);
  }
  return [...ids];
}

/** `plan` of `steps.plan.output`; undefined for any other path. */
export function stepOfReference(path: string): string | undefined {
  return /^steps\.([\w-]+)\.output$/.exec(path)?.[1];
}

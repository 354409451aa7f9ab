import type { IssueCode } from '#core/issue/issue-codes.ts';
import { didYouMean } from '#core/issue/nearest.ts';
import { literalTemplate } from '#core/template/literal.ts';
import type { ContextValue } from '#dialects/dagu/context-values.ts';
import type { Written } from '#dialects/dagu/values.ts';

/** What stands under a name of an `output`: a value in the JSON of stdout, all of it, or a text as it is written. */
export type Published = { path: string } | { whole: true } | { written: Written };

/** A step as the references of others see it. */
export interface NamedStep {
  id: string;
  name: string;
  kind: 'run' | 'agent' | 'person' | 'call';
  /** `output: NAME`. */
  variable?: string;
  /** What it publishes by name: the path in the JSON of its output, or a fixed text. */
  published: ReadonlyMap<string, Published>;
  /** Its work is not run here, which is an issue of its own: what it would publish is not known. */
  open?: true;
  /** Of a call for each item of a list: what its runs gave is one list. */
  many?: true;
  /** Files of the folder of artifacts that hold its streams. */
  stdout?: string;
  stderr?: string;
}

/** What a reference stands for. */
export type Found =
  /** `variable`: the name under which a shell is given it. */
  | { kind: 'template'; template: string; variable: string }
  | { kind: 'environment'; name: string }
  /** `unowned`: Dagu would leave it as text, too, where no shell reads it. */
  | { kind: 'problem'; code: IssueCode; message: string; unowned?: true };

export function ofMany(path: string): Found {
  return notRun(path, 'what the runs for a list gave is one JSON list: take it apart in a command');
}

export function whole(step: NamedStep): Found {
  const variable = step.variable ?? `DAGU_${step.id.replaceAll('-', '_')}_OUTPUT`;
  return { kind: 'template', template: `{{steps.${step.id}.output}}`, variable };
}

export function named(step: NamedStep, name: string): Found {
  return { kind: 'template', template: `{{steps.${step.id}.outputs.${name}}}`, variable: variableOf(step, name) };
}

export function variableOf(step: NamedStep, name: string): string {
  return `DAGU_${step.id}_${name}`.replaceAll('-', '_');
}

export function fromContext(
  path: string,
  value: ContextValue,
  at: { id: string; name: string; isHandler: boolean },
): Found {
  if (value.kind === 'not-run') return notRun(path, value.nativeWay);
  if (value.kind === 'step') {
    const text = value.what === 'id' ? at.id : at.name;
    const variable = value.what === 'id' ? 'DAGU_STEP_ID' : 'DAG_RUN_STEP_NAME';
    return { kind: 'template', template: literalTemplate(text), variable };
  }
  if (value.variable !== 'DAG_RUN_STATUS' || at.isHandler) return value;
  return notRun(path, 'the status is known once the run has ended: use it under `handler_on`');
}

export function unknown(path: string, word: string, known: readonly string[], unowned?: true): Found {
  const hint = didYouMean(word, known) || '; nothing in the file defines it';
  const found: Found = problem(path, 'template/unknown-root', `\`${word}\` is not known${hint}`);
  return unowned === undefined || hint.startsWith('; did') ? found : { ...found, unowned };
}

export function problem(path: string, code: IssueCode, message: string): Extract<Found, { kind: 'problem' }> {
  return { kind: 'problem', code, message: `\`\${${path}}\`: ${message}` };
}

export function notRun(path: string, nativeWay: string): Found {
  return problem(path, 'dialect/not-run', `the value is not available here; ${nativeWay}`);
}

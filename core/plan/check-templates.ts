import type { StepDefinition } from '#core/definition/definition.ts';
import type { IssueCode } from '#core/issue/issue-codes.ts';
import { errorAt, warningAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { isUpstream, suggest, wantsDetail } from '#core/plan/compiling.ts';
import type { Plan } from '#core/plan/plan.ts';
import { parseTemplate } from '#core/template/parse.ts';
import { stepOfReference } from '#core/template/references.ts';
import { insertionsInQuotes } from '#core/template/shell-context.ts';

/** A text with templates, where it stands, and whether a shell runs it. `step` absent: it is rendered at delivery. */
interface Place {
  path: string;
  text: string;
  shell: boolean;
  step?: string;
}

const ofRun = ['run.id', 'run.name'];
const ofStep = [...ofRun, 'feedback', 'loop.iteration'];

/** Every name in every template is known (V-20), and every insertion into a command is safe (A11). */
export function checkTemplates(compiling: Compiling, plan: Plan): void {
  for (const place of placesOf(compiling, plan)) checkPlace(compiling, place);
}

function placesOf(compiling: Compiling, plan: Plan): Place[] {
  const places = compiling.definition.steps.flatMap(placesOfStep);
  const { branch, title, body } = plan.deliver;
  for (const [key, text] of [
    ['branch', branch],
    ['title', title],
    ['body', body],
  ] as const) {
    if (text !== undefined) places.push({ path: `deliver.${key}`, text, shell: false });
  }
  return places;
}

function placesOfStep(step: StepDefinition): Place[] {
  const path = `steps.${step.id}`;
  const places: Place[] = [];
  const add = (under: string, text: string, shell: boolean): void => {
    places.push({ path: `${path}.${under}`, text, shell, step: step.id });
  };
  if (step.work.kind === 'agent') add('prompt', step.work.prompt, false);
  else add('run', step.work.command, true);
  if (step.when !== undefined) add('when', step.when.condition.command, true);
  const { repeat } = step.loop ?? {};
  if (repeat !== undefined) add(`loop.${repeat.mode}`, repeat.condition.command, true);
  for (const [index, check] of step.checks.entries()) {
    if (check.kind === 'command') add(`checks.${index}.run`, check.command, true);
  }
  return places;
}

function checkPlace(compiling: Compiling, place: Place): void {
  if (!place.text.includes('{{')) return;
  const { parts, issues } = parseTemplate(place.text);
  for (const { code, message, offset } of issues) {
    compiling.issues.push(errorAt(place.path, code, message + lineOf(compiling, place.text, offset)));
  }
  for (const part of parts) {
    if (part.kind === 'insert' || part.kind === 'if') checkReference(compiling, place, part);
  }
  if (!place.shell) return;
  for (const { path, inside } of insertionsInQuotes(parts)) {
    const message = `\`{{${path}}}\` stands in ${inside}, where its own quoting would not hold; it is one quoted word already, so write it outside (or \`| raw\` to insert it as it is)`;
    compiling.issues.push(errorAt(place.path, 'template/insertion-in-quotes', message));
  }
}

/** ` (line 3 of the text)` in a text of several lines, whose own position is that of its first. */
function lineOf(compiling: Compiling, text: string, offset: number): string {
  if (!wantsDetail(compiling.issues) || !text.trimEnd().includes('\n')) return '';
  return ` (line ${text.slice(0, offset).split('\n').length} of the text)`;
}

function checkReference(compiling: Compiling, place: Place, part: { path: string; offset: number }): void {
  const reference = part.path;
  const report = (code: IssueCode, message: string): void => {
    compiling.issues.push(errorAt(place.path, code, message + lineOf(compiling, place.text, part.offset)));
  };
  const values = place.step === undefined ? ofRun : ofStep;
  if (values.includes(reference)) return;
  if (reference.startsWith('inputs.')) {
    const name = reference.slice('inputs.'.length);
    const inputs = compiling.definition.inputs ?? {};
    if (Object.hasOwn(inputs, name)) return;
    const hint = suggest(compiling.issues, name, Object.keys(inputs)) || '; declare it under `inputs`';
    report('template/unknown-input', `\`{{${reference}}}\`: there is no input \`${name}\`${hint}`);
    return;
  }
  const step = stepOfReference(reference);
  if (step === undefined) {
    const offered = ['inputs.…', 'steps.….output', ...values].map((value) => `\`${value}\``).join(', ');
    const hint = suggest(compiling.issues, reference, values) || `; this place offers ${offered}`;
    report(
      'template/unknown-root',
      `\`{{${reference}}}\` is no known value${hint}; for a literal \`{{\` write \`\\{{\``,
    );
  } else if (!compiling.indexes.has(step)) {
    const hint = suggest(compiling.issues, step, compiling.indexes.keys());
    report('template/unknown-step', `\`{{${reference}}}\`: there is no step \`${step}\`${hint}`);
  } else {
    warnUnordered(compiling, place, step);
  }
}

/** Between steps side by side it is chance whether the output is there. Downstream ones speak in a later pass (V-22). */
function warnUnordered(compiling: Compiling, place: Place, step: string): void {
  if (place.step === undefined || place.step === step) return;
  if (isUpstream(compiling, step, place.step) !== false || isUpstream(compiling, place.step, step) !== false) return;
  const message = `step \`${step}\` is neither before nor after \`${place.step}\`, so its output may not be there yet; add \`after: ${step}\``;
  compiling.issues.push(warningAt(place.path, 'template/unordered', message));
}

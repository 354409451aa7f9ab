import type { LoopDefinition, StepDefinition } from '#core/definition/definition.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { IssueCode } from '#core/issue/issue-codes.ts';
import { errorAt } from '#core/issue/issue.ts';
import type { Compiling } from '#core/plan/compiling.ts';
import { suggest, wantsDetail, warnUnordered } from '#core/plan/compiling.ts';
import type { Plan } from '#core/plan/plan.ts';
import { handlerIds } from '#core/plan/compile-handlers.ts';
import { parseTemplate } from '#core/template/parse.ts';
import { outputOfReference } from '#core/template/references.ts';
import { insertionsInQuotes } from '#core/template/shell-context.ts';

/** A text with templates, where it stands, and whether a shell runs it. `step` absent: it is rendered at delivery. */
interface Place {
  path: string;
  text: string;
  shell: boolean;
  step?: string;
  /** Rendered for each item of a list. */
  item?: boolean;
  /** Further values that this place offers. */
  more?: readonly string[];
}

const ofRun = ['run.id', 'run.name', 'run.base'];
const ofStep = [...ofRun, 'run.artifacts', 'feedback', 'loop.iteration'];
const ofHandler = ['run.status'];
/** What the judged condition of a loop found, for the words of its next pass (C-12). */
const ofCondition = ['stdout', 'stderr', 'exitCode', 'actual', 'expected', 'compareSource'].map(
  (name) => `condition.${name}`,
);
const ofItem = [...ofStep, 'item', 'index'];

/** Every name in every template is known (V-20), and every insertion into a command is safe (A11). */
export function checkTemplates(compiling: Compiling, plan: Plan): void {
  for (const place of placesOf(compiling, plan)) checkPlace(compiling, place);
}

function placesOf(compiling: Compiling, plan: Plan): Place[] {
  const places = compiling.definition.steps.flatMap((step) => placesOfStep(step));
  for (const [key, handler] of Object.entries(compiling.definition.handlers ?? {})) {
    if (handler === undefined) continue;
    const id = handlerIds[key as keyof typeof handlerIds];
    places.push(...placesOfStep({ ...handler, id }).map((place) => ({ ...place, more: ofHandler })));
  }
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
  const add: AddPlace = (under, text, more = {}) => {
    places.push({ path: `${path}.${under}`, text, shell: false, step: step.id, ...more });
  };
  addWork(step.work, add);
  for (const [name, text] of Object.entries(step.env ?? {})) add(`env.${name}`, text);
  addConditions(step, add);
  for (const [index, check] of step.checks.entries()) {
    if (check.kind === 'command') add(`checks.${index}.run`, check.command, { shell: true });
    if (check.kind === 'review') add(`checks.${index}.review.criterion`, check.criterion);
  }
  return places;
}

type AddPlace = (under: string, text: string, more?: Pick<Partial<Place>, 'shell' | 'item' | 'more'>) => void;

function addConditions({ when, loop }: StepDefinition, add: AddPlace): void {
  if (when !== undefined) add('when', when.condition.command, { shell: true });
  for (const [index, { command }] of (when?.and ?? []).entries()) add(`when.and.${index}`, command, { shell: true });
  if (loop !== undefined) addLoop(loop, add);
}

function addLoop({ repeat, prompts = {} }: LoopDefinition, add: AddPlace): void {
  const more = repeat?.condition === undefined ? [] : ofCondition;
  for (const [after, text] of Object.entries(prompts)) {
    if (text !== undefined) add(`loop.prompt.${after}`, text, { more });
  }
  if (repeat?.condition !== undefined) add(`loop.${repeat.mode}`, repeat.condition.command, { shell: true });
}

function addWork(work: StepDefinition['work'], add: AddPlace): void {
  switch (work.kind) {
    case 'agent':
      return add('prompt', work.prompt);
    case 'run':
      return add('run', work.command, { shell: true });
    case 'person':
      return add('person.ask', work.ask);
    case 'call':
      if (work.each !== undefined) add('for.each', work.each.list);
      for (const [name, text] of Object.entries(work.inputs ?? {})) {
        add(`call.inputs.${name}`, text, { item: work.each !== undefined });
      }
      return undefined;
    default:
      return unreachable(work);
  }
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
  if (reference === 'run.artifacts' && compiling.definition.artifacts !== true) {
    const message = '`{{run.artifacts}}`: the run has no folder of artifacts; add `artifacts: true` to the definition';
    compiling.issues.push(errorAt(place.path, 'definition/missing', message));
    return;
  }
  if (valuesAt(place).includes(reference) || (place.item === true && isFieldOfItem(reference))) return;
  const problem = reference.startsWith('inputs.')
    ? inputProblem(compiling, reference)
    : stepProblem(compiling, place, reference);
  if (problem === undefined) return;
  const [code, message] = problem;
  const text = `\`{{${reference}}}\`${message}${lineOf(compiling, place.text, part.offset)}`;
  compiling.issues.push(errorAt(place.path, code, text));
}

/** What fields the items of a list have is known once it is there. */
function isFieldOfItem(reference: string): boolean {
  return /^item\.[\w-]+$/.test(reference);
}

function valuesAt({ step, item, more = [] }: Place): readonly string[] {
  if (step === undefined) return ofRun;
  return [...(item === true ? ofItem : ofStep), ...more];
}

type Problem = [code: IssueCode, message: string] | undefined;

function inputProblem(compiling: Compiling, reference: string): Problem {
  const name = reference.slice('inputs.'.length);
  const inputs = compiling.definition.inputs ?? {};
  if (Object.hasOwn(inputs, name)) return undefined;
  const hint = suggest(compiling.issues, name, Object.keys(inputs)) || '; declare it under `inputs`';
  return ['template/unknown-input', `: there is no input \`${name}\`${hint}`];
}

function stepProblem(compiling: Compiling, place: Place, reference: string): Problem {
  const key = outputOfReference(reference);
  if (key === undefined) return unknownValue(compiling, place, reference);
  const { step, name } = key;
  const index = compiling.indexes.get(step);
  const definition = index === undefined ? undefined : compiling.definition.steps[index];
  if (definition === undefined) {
    const hint = suggest(compiling.issues, step, compiling.indexes.keys());
    return ['template/unknown-step', `: there is no step \`${step}\`${hint}`];
  }
  if (place.step !== undefined) warnUnordered(compiling, { path: place.path, step: place.step }, step);
  return name === undefined ? undefined : namedOutputProblem(compiling, definition, name);
}

/** Of a definition that only the server has, nobody here knows the outputs. */
function namedOutputProblem(compiling: Compiling, step: StepDefinition, name: string): Problem {
  const { id, work } = step;
  const whole = `use \`steps.${id}.output\``;
  if (work.kind !== 'call') return ownOutputProblem(compiling, step, name);
  if (work.each !== undefined) return ['template/unknown-output', `: a call for each item has one output; ${whole}`];
  const callee = compiling.callee.callees.get(work.definition);
  if (callee === undefined) return undefined;
  const outputs = callee.definition.outputs ?? {};
  if (Object.hasOwn(outputs, name)) return undefined;
  const hint = suggest(compiling.issues, name, Object.keys(outputs)) || '; declare it there under `outputs`';
  return ['template/unknown-output', `: \`${work.definition}\` has no output \`${name}\`${hint}`];
}

/** What a person's answer offers beside the fields of the form (V-22: a loop clears them). */
const ofAnswer = ['comment', 'decidedBy'];

function ownOutputProblem(compiling: Compiling, { id, work, outputs = {} }: StepDefinition, name: string): Problem {
  const known = work.kind === 'person' ? [...fieldsOf(work.form), ...ofAnswer] : Object.keys(outputs);
  if (known.includes(name)) return undefined;
  const remedy =
    work.kind === 'person'
      ? '; add it to the form'
      : `; declare it under \`outputs\` of that step, or use \`steps.${id}.output\``;
  const hint = suggest(compiling.issues, name, known) || remedy;
  return ['template/unknown-output', `: step \`${id}\` has no output \`${name}\`${hint}`];
}

function fieldsOf(form: Record<string, unknown> = {}): string[] {
  const { properties } = form;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function unknownValue(compiling: Compiling, place: Place, reference: string): Problem {
  const values = valuesAt(place);
  if (reference === 'item' || reference === 'index' || isFieldOfItem(reference)) {
    return ['template/unknown-root', ' stands for an item of a list: only the inputs of a call with `for` have it'];
  }
  const offered = ['inputs.…', 'steps.….output', ...values].map((value) => `\`${value}\``).join(', ');
  const hint = suggest(compiling.issues, reference, values) || `; this place offers ${offered}`;
  return ['template/unknown-root', ` is no known value${hint}; for a literal \`{{\` write \`\\{{\``];
}

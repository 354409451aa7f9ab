import type { Definition } from '#core/definition/definition.ts';
import { didYouMean } from '#core/issue/nearest.ts';
import type { SourceNode } from '#dialects/source/node.ts';
import { isNull } from '#dialects/source/node.ts';
import type { Field, Reading } from '#dialects/source/reading.ts';
import { below } from '#dialects/source/reading.ts';
import { textOrEmpty } from '#dialects/source/scalars.ts';
import { withNames } from '#dialects/source/template-text.ts';

/** Texts by their dotted path below `vars` or `issue`. */
export type Texts = Readonly<Record<string, string>>;

/** `{key: "ABC-1", fields: {summary: "…"}}`, flat: `key` and `fields.summary`. */
export const texts: Field<Texts> = (node, path, reading) => {
  if (node.kind !== 'map') return reading.reportType(node, path, 'a mapping from names to texts');
  return Object.fromEntries(node.entries.flatMap(({ key, value }) => flat(value, { key, path, reading })));
};

function flat(node: SourceNode, at: { key: string; path: string; reading: Reading }): [string, string][] {
  const path = below(at.path, at.key);
  if (node.kind === 'map') {
    return node.entries.flatMap(({ key, value }) =>
      flat(value, { ...at, path, key }).map(([name, text]): [string, string] => [`${at.key}.${name}`, text]),
    );
  }
  if (isNull(node)) return [[at.key, '']];
  const text = textOrEmpty(node, path, at.reading);
  return text === undefined ? [] : [[at.key, text]];
}

type Inputs = NonNullable<Definition['inputs']>;

/**
 * What `vars` and `issue` become: inputs, so that a run can be given other values. A value of `issue` that a template
 * names and the file does not hold is an input that each run must be given.
 */
export class Values {
  readonly #vars: Texts;
  readonly #reading: Reading;
  readonly #inputs = new Map<string, Inputs[string]>();
  /** Where the document says what an input is made of. */
  readonly #places = new Map<string, string>();

  constructor({ vars = {}, issue = {} }: { vars?: Texts; issue?: Texts }, reading: Reading) {
    this.#vars = vars;
    this.#reading = reading;
    for (const [name, text] of Object.entries(vars)) this.#add(inputOf(name), below('vars', name), text);
    for (const [name, text] of Object.entries(issue)) this.#add(issueInput(name), below('issue', name), text);
  }

  get inputs(): Inputs {
    return Object.fromEntries(this.#inputs);
  }

  placeOf(input: string): string | undefined {
    return this.#places.get(input);
  }

  /** A template with the names that its values have here. What it names and nothing offers is an issue (V-20). */
  template(text: string, path: string): string {
    return withNames(text, (name) => this.#nameOf(name, path));
  }

  #nameOf(written: string, path: string): string {
    const [root = '', ...rest] = written.split('.');
    if (root === 'vars' && rest.length > 0) return this.#ofVars(rest.join('.'), written, path);
    if (root === 'issue' && rest.length > 0) return this.#ofIssue(rest.join('.'), path);
    const known = Object.hasOwn(fixed, written) ? fixed[written] : ofStep(written);
    if (known !== undefined) return known;
    const hint = didYouMean(written, Object.keys(fixed)) || `; ${offered}`;
    const message = `\`{{${written}}}\` is no known value${hint}; for a literal \`{{\` write \`\\{{\``;
    this.#reading.report(path, 'template/unknown-root', message);
    return written;
  }

  #ofVars(name: string, written: string, path: string): string {
    if (Object.hasOwn(this.#vars, name)) return `inputs.${inputOf(name)}`;
    const hint = didYouMean(name, Object.keys(this.#vars)) || '; add it to `vars`';
    const message = `\`{{${written}}}\`: there is no variable \`${name}\`${hint}`;
    this.#reading.report(path, 'template/unknown-input', message);
    return written;
  }

  #ofIssue(name: string, path: string): string {
    const input = issueInput(name);
    if (!this.#inputs.has(input)) {
      this.#inputs.set(input, { type: 'string', required: true });
      this.#places.set(input, path);
    }
    return `inputs.${input}`;
  }

  #add(input: string, place: string, text: string): void {
    const taken = this.#places.get(input);
    if (taken !== undefined) {
      const message = `\`${place}\` and \`${taken}\` would both be the input \`${input}\`; rename the variable`;
      this.#reading.report(place, 'definition/conflict', message);
    }
    this.#inputs.set(input, { type: 'string', required: false, default: text });
    this.#places.set(input, place);
  }
}

function inputOf(name: string): string {
  return name.replaceAll('.', '-');
}

function issueInput(name: string): string {
  return `issue-${inputOf(name)}`;
}

const fixed: Readonly<Record<string, string>> = {
  'run.id': 'run.id',
  'run.name': 'run.name',
  'run.baseBranch': 'run.base',
  'loop.iteration': 'loop.iteration',
};

const offered =
  'this place offers `vars.…`, `issue.…`, `steps.….output`, `run.id`, `run.name`, `run.baseBranch` and `loop.iteration`';

/** The answer of an approval is an output by name (V-22). */
function ofStep(written: string): string | undefined {
  const [, step, key] = /^steps\.([\w-]+)\.(output|comment|approvedBy)$/.exec(written) ?? [];
  if (step === undefined) return undefined;
  if (key === 'output') return written;
  return `steps.${step}.outputs.${key === 'comment' ? 'comment' : 'decidedBy'}`;
}

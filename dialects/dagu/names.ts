import { didYouMean } from '#core/issue/nearest.ts';
import { literalTemplate } from '#core/template/literal.ts';
import { contextValues } from '#dialects/dagu/context-values.ts';
import type { Found, NamedStep } from '#dialects/dagu/found.ts';
import { fromContext, named, notRun, ofMany, problem, unknown, variableOf, whole } from '#dialects/dagu/found.ts';
import type { Written } from '#dialects/dagu/values.ts';

const namespaces = new Set(['params', 'env', 'consts', 'steps', 'context', 'foreach', 'ITEM']);

/** What the texts of one DAG may refer to, and what they did refer to. */
export class Names {
  /** Values inside the JSON of a step's output that are referred to: path by name, by step. */
  readonly picked = new Map<string, Map<string, string>>();
  /** Steps whose stdout or stderr is read as a file, with the name of that file. */
  readonly streams = new Map<string, { stdout?: string; stderr?: string }>();
  readonly params: ReadonlySet<string>;
  /** Those that a shell works out. */
  readonly computed: ReadonlySet<string>;
  readonly consts: ReadonlyMap<string, string>;
  /** A text of a step as a template: what it refers to is worked out where the step is known. */
  textOf: (written: Written, step: string) => string = ({ text }) => literalTemplate(text);
  readonly #working = new Set<string>();
  readonly #steps = new Map<string, NamedStep>();
  readonly #variables = new Map<string, NamedStep>();

  constructor(
    { params, computed }: { params: readonly string[]; computed: readonly string[] },
    consts: ReadonlyMap<string, string>,
    steps: readonly NamedStep[],
  ) {
    this.params = new Set(params);
    this.computed = new Set(computed);
    this.consts = consts;
    for (const step of steps) {
      for (const key of [step.name, step.id]) this.#steps.set(key, step);
      if (step.variable !== undefined) this.#variables.set(step.variable, step);
    }
  }

  /** `at`: the step whose text it is. */
  value(path: string, at: { id: string; name: string; isHandler: boolean }): Found {
    const [root = '', ...rest] = path.split('.');
    const inside = rest.join('.');
    const context = contextValues.get(root === 'context' ? inside : path);
    if (context !== undefined && !this.#steps.has(root)) return fromContext(path, context, at);
    if (!namespaces.has(root)) return this.#ofStepOrVariable(path, root, rest);
    switch (root) {
      case 'params':
        return this.#param(path, inside);
      case 'env':
        return { kind: 'environment', name: inside };
      case 'consts':
        return this.#const(path, inside);
      case 'steps':
        return this.#declared(path, rest);
      case 'context':
        return unknown(
          path,
          `context.${inside}`,
          [...contextValues.keys()].map((key) => `context.${key}`),
        );
      default:
        return notRun(path, 'write `${ITEM}`, or `${ITEM.field}`, in the `params` of a call with `parallel`');
    }
  }

  #param(path: string, name: string): Found {
    if (this.computed.has(name)) return { kind: 'environment', name };
    if (this.params.has(name)) return { kind: 'template', template: `{{inputs.${name}}}`, variable: name };
    const hint = didYouMean(name, this.params) || '; declare it under `params`';
    return problem(path, 'template/unknown-input', `there is no parameter \`${name}\`${hint}`);
  }

  #const(path: string, name: string): Found {
    const text = this.consts.get(name);
    if (text !== undefined)
      return { kind: 'template', template: literalTemplate(text), variable: `DAGU_CONST_${name}` };
    return unknown(path, name, [...this.consts.keys()]);
  }

  /** `${steps.ID.outputs.NAME}`. */
  #declared(path: string, [id = '', outputs, name = '', ...more]: string[]): Found {
    const step = this.#steps.get(id);
    if (step === undefined) {
      return problem(path, 'template/unknown-step', `there is no step \`${id}\`${didYouMean(id, this.#steps.keys())}`);
    }
    if (outputs !== 'outputs' || name === '' || more.length > 0) {
      return problem(path, 'template/unknown-output', `write \`\${steps.${step.id}.outputs.NAME}\``);
    }
    return this.#published(path, step, name, []);
  }

  #ofStepOrVariable(path: string, root: string, rest: string[]): Found {
    const variable = this.#variables.get(root);
    const step = this.#steps.get(root);
    const [property = '', ...inside] = rest;
    if (step === undefined || (variable !== undefined && !isProperty(property))) {
      if (variable?.many === true) return ofMany(path);
      if (variable !== undefined) return this.#insideOutput(variable, rest);
      return unknown(path, root, [...this.#variables.keys(), ...this.#steps.keys()], true);
    }
    switch (property) {
      case 'stdout':
      case 'stderr':
        return inside.length === 0 ? this.#stream(step, property) : unknown(path, path, [], true);
      case 'output':
      case 'outputs':
        if (inside.length === 0) return whole(step);
        return this.#published(path, step, inside[0] ?? '', inside.slice(1));
      case 'exit_code':
      case 'exitCode':
        return notRun(path, 'a step that exits other than 0 fails; use `continue_on` and its output');
      default:
        return problem(
          path,
          'template/unknown-output',
          `step \`${step.id}\` has no \`${property}\`; use its \`output\``,
        );
    }
  }

  #published(path: string, step: NamedStep, name: string, inside: string[]): Found {
    if (step.open === true) return whole(step);
    if (step.many === true) return ofMany(path);
    const entry = step.published.get(name);
    if (step.kind === 'person' || step.kind === 'call') return this.#byName(path, step, name, inside);
    if (entry === undefined) {
      return step.variable === name ? this.#insideOutput(step, inside) : this.#noOutput(path, step, name);
    }
    if ('written' in entry) return this.#asWritten(path, step, { name, written: entry.written });
    if ('whole' in entry) return inside.length === 0 ? whole(step) : this.#insideOutput(step, inside);
    return this.#insideOutput(step, [...entry.path.split('.'), ...inside], name);
  }

  /** A field of a form, or of what a child run gave, is known by its name alone. */
  #byName(path: string, step: NamedStep, name: string, inside: string[]): Found {
    const isKnown = step.kind === 'call' || step.published.has(name);
    return isKnown && inside.length === 0 ? named(step, name) : this.#noOutput(path, step, name);
  }

  #asWritten(path: string, step: NamedStep, { name, written }: { name: string; written: Written }): Found {
    const key = `${step.id}.${name}`;
    if (this.#working.has(key)) return problem(path, 'template/unknown-output', 'it is made of itself');
    this.#working.add(key);
    const template = this.textOf(written, step.id);
    this.#working.delete(key);
    return { kind: 'template', template, variable: variableOf(step, name) };
  }

  #noOutput(path: string, step: NamedStep, name: string): Found {
    const hint = didYouMean(name, step.published.keys()) || '; declare it there';
    return problem(path, 'template/unknown-output', `step \`${step.id}\` has no output \`${name}\`${hint}`);
  }

  /** A value of the JSON that a step gave. */
  #insideOutput(step: NamedStep, keys: string[], wanted = keys.join('_')): Found {
    if (keys.length === 0) return whole(step);
    if (step.kind === 'call')
      return named(step, keys[0] === 'outputs' && keys.length > 1 ? keys.slice(1).join('_') : keys.join('_'));
    if (step.kind === 'person') return named(step, keys.join('_'));
    const names = this.picked.get(step.id) ?? new Map<string, string>();
    this.picked.set(step.id, names);
    const path = keys.join('.');
    const base = /^[A-Za-z]/.test(wanted) ? wanted : `at_${wanted}`;
    let name = base;
    for (let count = 2; names.has(name) && names.get(name) !== path; count += 1) name = `${base}_${count}`;
    names.set(name, path);
    return named(step, name);
  }

  /** Dagu keeps each stream in a file; here it is a file of the folder of artifacts. */
  #stream(step: NamedStep, stream: 'stdout' | 'stderr'): Found {
    const file = step[stream] ?? `${step.id}.${stream}`;
    this.streams.set(step.id, { ...this.streams.get(step.id), [stream]: file });
    const variable = `DAGU_${step.id.replaceAll('-', '_')}_${stream.toUpperCase()}`;
    return { kind: 'template', template: `{{run.artifacts}}/${literalTemplate(file)}`, variable };
  }
}

function isProperty(word: string): boolean {
  return ['output', 'outputs', 'stdout', 'stderr', 'exit_code', 'exitCode'].includes(word);
}

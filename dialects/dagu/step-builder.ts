import type { StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';
import { literalTemplate } from '#core/template/literal.ts';
import { variablesBefore } from '#dialects/dagu/ancestors.ts';
import type { BuildOf } from '#dialects/dagu/build-of.ts';
import { buildStep } from '#dialects/dagu/build-step.ts';
import { constsOf } from '#dialects/dagu/consts.ts';
import { runVariables } from '#dialects/dagu/context-values.ts';
import { Directories } from '#dialects/dagu/directories.ts';
import { Environment } from '#dialects/dagu/environment.ts';
import { Names } from '#dialects/dagu/names.ts';
import { namedStep, type WrittenStep } from '#dialects/dagu/read-steps.ts';
import type { RootRead } from '#dialects/dagu/root-shape.ts';
import type { Shell } from '#dialects/dagu/shell.ts';
import type { TextScope } from '#dialects/dagu/texts.ts';
import { doubleQuoted, plainText, variableValue } from '#dialects/dagu/texts.ts';
import type { Reading } from '#dialects/source/reading.ts';

/** Builds the steps of one DAG with what they share. */
export class StepBuilder {
  readonly names: Names;
  readonly directories: Directories;
  readonly read: RootRead;
  readonly steps: readonly WrittenStep[];
  readonly reading: Reading;
  readonly #words: Map<string, string>;
  readonly #before: ReadonlyMap<string, readonly WrittenStep[]>;
  readonly #root: Environment;
  readonly #shell: Shell | undefined;
  readonly #skips: boolean;

  constructor(read: RootRead, steps: readonly WrittenStep[], reading: Reading) {
    this.read = read;
    this.steps = steps;
    this.reading = reading;
    const inputs = Object.keys(read.params?.inputs ?? {});
    const consts = constsOf(read.consts, reading);
    const computed = (read.params?.computed ?? []).map(({ name }) => name);
    this.names = new Names({ params: inputs, computed }, consts, steps.map(namedStep));
    const processes = steps.filter(({ work }) => work.kind === 'run' || work.kind === 'agent');
    this.directories = new Directories(
      read.working_dir,
      processes.map((step) => step.read.working_dir),
      reading,
    );
    const byId = new Map(steps.map((step) => [step.id, step]));
    this.names.textOf = (written, id) => {
      const step = byId.get(id);
      return step === undefined ? '' : plainText(written, { ...this.#ofStep(step), isValue: true });
    };
    this.#words = new Map(steps.flatMap(({ id, name }) => [[name, id] as const, [id, id] as const]));
    this.#before = variablesBefore(steps, reading);
    this.#root = this.#rootEnvironment(inputs);
    const { shell, shell_args: more = [] } = read;
    const isShellWritten = shell !== undefined || more.length > 0;
    this.#shell = isShellWritten ? { words: [...(shell ?? ['sh']), ...more], ofStep: false } : undefined;
    this.#skips = steps.some((step) => step.read.preconditions !== undefined);
  }

  step(step: WrittenStep): StepDefinition {
    const built = buildStep(step, this.#of(step, this.#outputsAt(step), false));
    if (step.id !== this.steps[0]?.id || this.read.preconditions === undefined || built.when === undefined)
      return built;
    return { ...built, when: { ...built.when, onUnmet: 'cancel' } };
  }

  handler(step: WrittenStep): StepDefinition {
    return { ...buildStep(step, this.#of(step, this.steps, true)), after: [] };
  }

  #of(step: WrittenStep, outputs: readonly WrittenStep[], isHandler: boolean): BuildOf {
    const { params, secrets = [] } = this.read;
    return {
      scope: this.#scopeOf(step, outputs, isHandler),
      positional: params?.positional ?? [],
      directories: this.directories,
      secrets,
      skips: !isHandler && this.#skips,
      words: this.#words,
      ...present({ shell: this.#shell }),
    };
  }

  #outputsAt(step: WrittenStep): WrittenStep[] {
    return [...(this.#before.get(step.id) ?? []), step];
  }

  #ofStep(step: WrittenStep): TextScope {
    return this.#scopeOf(step, this.#outputsAt(step), false);
  }

  #scopeOf(step: WrittenStep, outputs: readonly WrittenStep[], isHandler: boolean): TextScope {
    const environment = new Environment(this.#root.entries());
    environment.set('DAG_RUN_STEP_NAME', { kind: 'template', template: literalTemplate(step.name) });
    if (isHandler) environment.set('DAG_RUN_STATUS', { kind: 'template', template: '{{run.status}}' });
    for (const { id, read } of outputs) {
      const variable = read.output?.variable;
      if (variable !== undefined) environment.set(variable, { kind: 'template', template: `{{steps.${id}.output}}` });
    }
    const scope = this.#scope(environment, { id: step.id, name: step.name, isHandler });
    for (const { name, value } of step.read.env ?? []) environment.set(name, variableValue(value, scope));
    return scope;
  }

  #scope(environment: Environment, at: TextScope['at']): TextScope {
    return { names: this.names, environment, at, reading: this.reading };
  }

  /** Parameters, what Dagu tells of the run, and the variables of the file, each of which may name those before it. */
  #rootEnvironment(inputs: readonly string[]): Environment {
    const ofInputs = inputs.map((name) => [name, { kind: 'template', template: `{{inputs.${name}}}` }] as const);
    const ofRun = runVariables.map(([name, template]) => [name, { kind: 'template', template }] as const);
    const environment = new Environment([...ofInputs, ...ofRun]);
    const scope = this.#scope(environment, { id: '', name: '', isHandler: false });
    for (const { name, value, otherwise } of this.read.params?.computed ?? []) {
      const given = environment.bind({ template: `{{inputs.${name}}}`, variable: `DAGU_GIVEN_${name}` });
      const quoted = `\${${given}:-${doubleQuoted(value, scope)}}`;
      const instead = otherwise === undefined ? {} : { otherwise: doubleQuoted(otherwise, scope) };
      environment.set(name, { kind: 'shell', quoted, ...instead });
    }
    for (const { name, value } of this.read.env ?? []) {
      const made = variableValue(value, scope);
      environment.set(name, made);
      if (made.kind === 'shell' && this.steps.some(({ work }) => work.kind === 'agent')) {
        const message = `agents do not get \`${name}\`: the shell of each command works it out; let a first step print it with \`output\` where an agent needs it`;
        this.reading.warn(value.path, 'dialect/no-effect', message);
      }
    }
    return environment;
  }
}

/** What a variable of a step's processes holds. `shell`: text for double quotes, which only a
 * shell can work out; `otherwise` where it cannot. */
export type VariableValue =
  | { kind: 'template'; template: string }
  | { kind: 'shell'; quoted: string; otherwise?: string };

/** The environment of one step: what Dagu gives it by name, and what its own texts refer to. */
export class Environment {
  readonly #values: Map<string, VariableValue>;

  constructor(values: Iterable<readonly [string, VariableValue]> = []) {
    this.#values = new Map(values);
  }

  get(name: string): VariableValue | undefined {
    return this.#values.get(name);
  }

  /** The last one that is set holds; a shell works them out in the order in which they were set. */
  set(name: string, value: VariableValue): void {
    this.#values.delete(name);
    this.#values.set(name, value);
  }

  /** The variable that holds a value: of the wanted name, or of a free one where that holds something else. */
  bind({ template, variable }: { template: string; variable: string }): string {
    for (let name = variable, count = 1; ; name = `DAGU_${variable}_${count}`, count += 1) {
      const held = this.#values.get(name);
      if (held === undefined) this.#values.set(name, { kind: 'template', template });
      if (held === undefined || (held.kind === 'template' && held.template === template)) return name;
    }
  }

  entries(): [string, VariableValue][] {
    return [...this.#values];
  }

  /** What the host sets. */
  templates(): Record<string, string> {
    const fixed = this.entries().flatMap(([name, value]) =>
      value.kind === 'template' ? [[name, value.template]] : [],
    );
    return Object.fromEntries(fixed) as Record<string, string>;
  }

  /** What a shell sets before a command, a line each. */
  exports(): string[] {
    return this.entries().flatMap(([name, value]) => (value.kind === 'shell' ? [exported(name, value)] : []));
  }
}

/** What a command cannot work out is no empty text: what follows could not run, or has what stands in for it. */
function exported(name: string, { quoted, otherwise }: Extract<VariableValue, { kind: 'shell' }>): string {
  if (!/`|\$\(/.test(quoted)) return `export ${name}="${quoted}"`;
  const failing = otherwise === undefined ? 'exit 126' : `${name}="${otherwise}"`;
  return `${name}="${quoted}" || ${failing}; export ${name}`;
}

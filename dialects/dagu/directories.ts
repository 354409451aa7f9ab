import type { Written } from '#dialects/dagu/values.ts';
import { refersToValue } from '#dialects/dagu/values.ts';
import type { Reading } from '#dialects/source/reading.ts';

/** Where a run works (F4), and where in it a step does. */
export class Directories {
  /** Folder of the whole run as it is written; absent = the one that the run is started in. */
  readonly root: string | undefined;
  readonly #reading: Reading;

  constructor(root: Written | undefined, ofSteps: readonly (Written | undefined)[], reading: Reading) {
    this.#reading = reading;
    this.root = root === undefined ? common(ofSteps) : this.#checked(root);
  }

  /** As the plan takes it: what is relative is told from the address of a repository by its `./`. */
  get repo(): string | undefined {
    const { root } = this;
    return root === undefined || root === '.' || /^(?:\/|\.\.\/)/.test(root) ? root : `./${root}`;
  }

  /** The folder of a step, from the top of the run's. */
  of(written: Written | undefined): string | undefined {
    if (written === undefined) return undefined;
    const path = plain(written.text);
    if (this.root !== undefined && (path === this.root || path === '.')) return undefined;
    if (this.root !== undefined && path.startsWith(`${this.root}/`)) return path.slice(this.root.length + 1);
    const isInside = !/^[/~]/.test(path) && !path.split('/').includes('..') && !refersToValue(path);
    if (isInside) return path === '.' ? undefined : path;
    const message = `a step works within the folder of the run${this.root === undefined ? '' : `, \`${this.root}\``}; write \`working_dir\` as a path below it, or \`cd\` in the command`;
    this.#reading.report(written.path, 'dialect/not-run', message);
    return undefined;
  }

  #checked({ text, path }: Written): string | undefined {
    if (!refersToValue(text) && !text.startsWith('~')) return plain(text);
    const message = `\`working_dir\` is fixed when the run starts; write the path in place of \`${text.slice(0, 80)}\`, or leave it out and start the run in that folder`;
    this.#reading.report(path, 'dialect/not-run', message);
    return undefined;
  }
}

/** Steps that all name one folder name that of the run. */
function common(ofSteps: readonly (Written | undefined)[]): string | undefined {
  const paths = new Set(ofSteps.map((each) => (each === undefined ? undefined : plain(each.text))));
  const [only] = paths;
  return paths.size === 1 && only?.startsWith('/') === true ? only : undefined;
}

function plain(path: string): string {
  const short = path
    .trim()
    .replace(/^(?:\.\/)+(?=.)/, '')
    .replace(/(?<=.)\/+$/, '');
  return short === '' ? '.' : short;
}

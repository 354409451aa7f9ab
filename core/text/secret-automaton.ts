import { secretForms, utf8, type Secret } from '#core/text/secret-forms.ts';

/** An Aho-Corasick automaton over bytes. `skips` marks states of wrapped forms, in which one line end is passed over. */
export interface Automaton {
  next: Int32Array;
  depth: Int32Array;
  /** Length of the longest form that ends in the state, 0 if none. */
  match: Int32Array;
  skips: Uint8Array;
}

/** The automaton of every form of every secret. */
export function buildAutomaton(secrets: readonly Secret[]): Automaton {
  const forms = secrets.flatMap(({ value }) => {
    const { plain, wrapped } = secretForms(value);
    return [
      ...plain.map((form) => ({ bytes: utf8(form), wraps: false })),
      ...wrapped.map((form) => ({ bytes: utf8(form), wraps: true })),
    ];
  });
  const size = 1 + forms.reduce((sum, form) => sum + form.bytes.length, 0);
  const automaton: Automaton = {
    next: new Int32Array(size * 256),
    depth: new Int32Array(size),
    match: new Int32Array(size),
    skips: new Uint8Array(size),
  };
  let states = 1;
  for (const form of forms) states = addForm(automaton, form, states);
  linkFailures(automaton, states);
  return automaton;
}

function addForm(automaton: Automaton, form: { bytes: Uint8Array; wraps: boolean }, states: number): number {
  const { next, depth, match, skips } = automaton;
  let count = states;
  let state = 0;
  for (const byte of form.bytes) {
    let target = next[state * 256 + byte] ?? 0;
    if (target === 0) {
      target = count;
      count += 1;
      next[state * 256 + byte] = target;
      depth[target] = (depth[state] ?? 0) + 1;
    }
    state = target;
    if (form.wraps) skips[state] = 1;
  }
  match[state] = form.bytes.length;
  return count;
}

/** Completes the transitions in breadth-first order: a state without a child for a byte goes where its failure goes. */
function linkFailures(automaton: Automaton, states: number): void {
  const { next } = automaton;
  const failure = new Int32Array(states);
  const queue = [...next.subarray(0, 256)].filter((child) => child !== 0);
  for (let at = 0; at < queue.length; at += 1)
    linkState(automaton, failure, queue[at] ?? 0).forEach((child) => queue.push(child));
}

function linkState({ next, match }: Automaton, failure: Int32Array, state: number): number[] {
  const back = failure[state] ?? 0;
  const children: number[] = [];
  match[state] = Math.max(match[state] ?? 0, match[back] ?? 0);
  for (let byte = 0; byte < 256; byte += 1) {
    const child = next[state * 256 + byte] ?? 0;
    const through = next[back * 256 + byte] ?? 0;
    if (child === 0) next[state * 256 + byte] = through;
    else {
      failure[child] = through;
      children.push(child);
    }
  }
  return children;
}

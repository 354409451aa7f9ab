import { secretForms, utf8, type Secret } from '#core/text/secret-forms.ts';

/** What stands in stored text in place of a secret. */
export const redactedMark = '[redacted]';

export interface Redactor {
  /** Takes bytes in pieces of any size; returns what can be stored now. At most one form's length is held back. */
  push(bytes: Uint8Array): Uint8Array;
  /** What was held back. The redactor is then at its start again. */
  end(): Uint8Array;
}

const lineFeed = 10;
const carriageReturn = 13;

/** H4 over a byte stream: every form of every secret is replaced, wherever the chunks are cut. */
export function createRedactor(secrets: readonly Secret[]): Redactor {
  if (secrets.length === 0) return { push: (bytes) => bytes, end: () => new Uint8Array(0) };
  return redactWith(buildAutomaton(secrets));
}

/** H4 for a text that is whole. */
export function redactText(text: string, secrets: readonly Secret[]): string {
  let out = text;
  for (const { value } of secrets) {
    const { plain, wrapped } = secretForms(value);
    for (const form of plain) out = out.replaceAll(form, redactedMark);
    for (const form of wrapped) {
      if (/[\r\n]/.test(out)) out = out.replace(wrappedPattern(form), redactedMark);
      else out = out.replaceAll(form, redactedMark);
    }
  }
  return out;
}

function wrappedPattern(form: string): RegExp {
  return new RegExp([...form].map((char) => char.replace(/[+/]/, String.raw`\$&`)).join(String.raw`(?:\r?\n)?`), 'g');
}

/** An Aho-Corasick automaton over bytes. `skips` marks states of wrapped forms, in which one line end is passed over. */
interface Automaton {
  next: Int32Array;
  depth: Int32Array;
  /** Length of the longest form that ends in the state, 0 if none. */
  match: Int32Array;
  skips: Uint8Array;
}

function buildAutomaton(secrets: readonly Secret[]): Automaton {
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

function linkFailures({ next, match }: Automaton, states: number): void {
  const failure = new Int32Array(states);
  const queue: number[] = [];
  for (let byte = 0; byte < 256; byte += 1) {
    const child = next[byte] ?? 0;
    if (child !== 0) queue.push(child);
  }
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] ?? 0;
    const back = failure[state] ?? 0;
    match[state] = Math.max(match[state] ?? 0, match[back] ?? 0);
    for (let byte = 0; byte < 256; byte += 1) {
      const child = next[state * 256 + byte] ?? 0;
      const through = next[back * 256 + byte] ?? 0;
      if (child === 0) next[state * 256 + byte] = through;
      else {
        failure[child] = through;
        queue.push(child);
      }
    }
  }
}

/** A held byte: its value, whether a form covers it, and whether it is a line end that was passed over. */
interface Held {
  byte: number;
  covered: boolean;
  skipped: boolean;
}

function redactWith(automaton: Automaton): Redactor {
  const { next, depth, match, skips } = automaton;
  let state = 0;
  let held: Held[] = [];
  let solid = 0;
  let inMark = false;

  /** Lets go of the oldest held bytes until only the `keep` that may still begin a form are left. */
  const release = (keep: number, out: ByteSink) => {
    let at = 0;
    for (; at < held.length; at += 1) {
      const entry = held[at];
      if (entry === undefined || (solid <= keep && !entry.skipped)) break;
      if (!entry.skipped) solid -= 1;
      if (entry.covered && !inMark) out.addAll(markBytes);
      if (!entry.covered) out.add(entry.byte);
      inMark = entry.covered;
    }
    if (at > 0) held = held.slice(at);
  };

  const cover = (length: number) => {
    let left = length;
    for (let at = held.length - 1; at >= 0 && left > 0; at -= 1) {
      const entry = held[at];
      if (entry === undefined) return;
      entry.covered = true;
      if (!entry.skipped) left -= 1;
    }
  };

  const passesOver = (byte: number) => {
    if ((byte !== lineFeed && byte !== carriageReturn) || skips[state] === 0) return false;
    if ((next[state * 256 + byte] ?? 0) !== 0) return false;
    const last = held.at(-1);
    return last !== undefined && (!last.skipped || (last.byte === carriageReturn && byte === lineFeed));
  };

  const take = (byte: number, out: ByteSink) => {
    if (passesOver(byte)) {
      held.push({ byte, covered: false, skipped: true });
      return;
    }
    state = next[state * 256 + byte] ?? 0;
    held.push({ byte, covered: false, skipped: false });
    solid += 1;
    cover(match[state] ?? 0);
    release(depth[state] ?? 0, out);
  };

  return {
    push(bytes) {
      const out = createByteSink(bytes.length + held.length + markBytes.length);
      let at = 0;
      while (at < bytes.length) {
        if (state === 0 && held.length === 0) {
          const from = at;
          while (at < bytes.length && next[bytes[at] ?? 0] === 0) at += 1;
          if (at > from) {
            out.addAll(bytes.subarray(from, at));
            inMark = false;
          }
          if (at === bytes.length) break;
        }
        take(bytes[at] ?? 0, out);
        at += 1;
      }
      return out.bytes();
    },
    end() {
      const out = createByteSink(held.length + markBytes.length);
      release(0, out);
      state = 0;
      inMark = false;
      return out.bytes();
    },
  };
}

const markBytes = utf8(redactedMark);

interface ByteSink {
  add(byte: number): void;
  addAll(bytes: Uint8Array): void;
  bytes(): Uint8Array;
}

function createByteSink(expected: number): ByteSink {
  let buffer = new Uint8Array(expected);
  let length = 0;
  const ensure = (more: number) => {
    if (length + more <= buffer.length) return;
    const grown = new Uint8Array((length + more) * 2);
    grown.set(buffer.subarray(0, length));
    buffer = grown;
  };
  return {
    add(byte) {
      ensure(1);
      buffer[length] = byte;
      length += 1;
    },
    addAll(bytes) {
      ensure(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
    },
    bytes: () => buffer.subarray(0, length),
  };
}

import { buildAutomaton, type Automaton } from '#core/text/secret-automaton.ts';
import { secretForms, utf8, type Secret } from '#core/text/secret-forms.ts';

/** What stands in stored text in place of a secret. */
const redactedMark = '[redacted]';

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
  return new RegExp(
    form
      .split('')
      .map((char) => char.replace(/[+/]/, String.raw`\$&`))
      .join(String.raw`(?:\r?\n)?`),
    'g',
  );
}

/** A held byte: its value, whether a form covers it, and whether it is a line end that was passed over. */
interface Held {
  byte: number;
  covered: boolean;
  skipped: boolean;
}

interface Scan {
  state: number;
  held: Held[];
  /** Held bytes that are not skipped: the depth of `state`, once what cannot begin a form was released. */
  solid: number;
  /** The last byte released was covered, so its mark is already written. */
  inMark: boolean;
}

function redactWith(automaton: Automaton): Redactor {
  const scan: Scan = { state: 0, held: [], solid: 0, inMark: false };
  return {
    push(bytes) {
      const out = createByteSink(bytes.length + scan.held.length + markBytes.length);
      for (let at = 0; at < bytes.length;) {
        at = passHarmless(automaton, scan, { bytes, at, out });
        if (at < bytes.length) take(automaton, scan, { byte: bytes[at] ?? 0, out });
        at += 1;
      }
      return out.bytes();
    },
    end() {
      const out = createByteSink(scan.held.length + markBytes.length);
      release(scan, 0, out);
      scan.state = 0;
      scan.inMark = false;
      return out.bytes();
    },
  };
}

/**
 * The fast path: walks the automaton without keeping each byte, as long as no form ends and no line end is passed
 * over; until then the held bytes are simply the last ones read. Returns where the careful path goes on.
 */
function passHarmless(
  automaton: Automaton,
  scan: Scan,
  input: { bytes: Uint8Array; at: number; out: ByteSink },
): number {
  if (scan.held.length > 0) return input.at;
  const { next, match, skips, depth } = automaton;
  const { bytes } = input;
  let state = 0;
  let at = input.at;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const target = next[state * 256 + byte] ?? 0;
    const mayPassOver = skips[state] !== 0 && (byte === lineFeed || byte === carriageReturn);
    if (mayPassOver || match[target] !== 0) break;
    state = target;
  }
  const held = bytes.subarray(at - (depth[state] ?? 0), at);
  const harmless = bytes.subarray(input.at, at - held.length);
  input.out.addAll(harmless);
  if (harmless.length > 0) scan.inMark = false;
  scan.state = state;
  scan.solid = held.length;
  scan.held = Array.from(held, (byte) => ({ byte, covered: false, skipped: false }));
  return at;
}

function take(automaton: Automaton, scan: Scan, { byte, out }: { byte: number; out: ByteSink }): void {
  if (passesOver(automaton, scan, byte)) {
    scan.held.push({ byte, covered: false, skipped: true });
    return;
  }
  scan.state = automaton.next[scan.state * 256 + byte] ?? 0;
  scan.held.push({ byte, covered: false, skipped: false });
  scan.solid += 1;
  cover(scan, automaton.match[scan.state] ?? 0);
  release(scan, automaton.depth[scan.state] ?? 0, out);
}

/** True for one line end inside a wrapped form. */
function passesOver({ next, skips }: Automaton, { state, held }: Scan, byte: number): boolean {
  if ((byte !== lineFeed && byte !== carriageReturn) || skips[state] === 0) return false;
  if ((next[state * 256 + byte] ?? 0) !== 0) return false;
  const last = held.at(-1);
  return last !== undefined && (!last.skipped || (last.byte === carriageReturn && byte === lineFeed));
}

/** Marks the last `length` held bytes as part of a secret, with the line ends between them. */
function cover({ held }: Scan, length: number): void {
  let left = length;
  for (let at = held.length - 1; at >= 0 && left > 0; at -= 1) {
    const entry = held[at];
    if (entry === undefined) return;
    entry.covered = true;
    if (!entry.skipped) left -= 1;
  }
}

/** Lets go of the oldest held bytes until only the `keep` that may still begin a form are left. */
function release(scan: Scan, keep: number, out: ByteSink): void {
  let at = 0;
  for (const entry of scan.held) {
    if (scan.solid <= keep && !entry.skipped) break;
    if (scan.solid <= keep && at === 0) break;
    if (!entry.skipped) scan.solid -= 1;
    if (entry.covered && !scan.inMark) out.addAll(markBytes);
    if (!entry.covered) out.add(entry.byte);
    scan.inMark = entry.covered;
    at += 1;
  }
  if (at > 0) scan.held = scan.held.slice(at);
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

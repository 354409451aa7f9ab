/**
 * A9: the text that match, compare, fingerprint, feedback and the database see. It is what a terminal would show:
 * escapes gone, CRLF as LF, a line rewritten with CR in its last state, NUL visible as U+2400.
 */

/** A line longer than this is handed on in pieces, so that memory stays bounded; a later CR rewrites only the last piece. */
const longestHeldLine = 65_536;

type Mode = 'text' | 'escape' | 'csi' | 'string' | 'stringEscape';

interface Screen {
  mode: Mode;
  /** Parameters of the CSI sequence under way. */
  parameters: string;
  /** The unfinished line. */
  line: string;
  /** A CR was seen: the next text rewrites the line. */
  returned: boolean;
  out: string;
}

export interface TextNormaliser {
  /** Takes decoded text in pieces of any size; returns what is final so far (whole lines, as a rule). */
  push(chunk: string): string;
  /** Returns the last, unfinished line. The normaliser is then at its start again. */
  end(): string;
}

/** A normaliser whose output does not depend on how the text is cut into chunks. */
export function createTextNormaliser(): TextNormaliser {
  const screen: Screen = { mode: 'text', parameters: '', line: '', returned: false, out: '' };
  return {
    push(chunk) {
      screen.out = '';
      for (let at = 0; at < chunk.length;)
        at = screen.mode === 'text' ? readText(screen, chunk, at) : readEscape(screen, chunk, at);
      return screen.out;
    },
    end() {
      const rest = screen.line;
      Object.assign(screen, { mode: 'text', parameters: '', line: '', returned: false, out: '' });
      return rest;
    },
  };
}

/** A9 for a text that is already whole. */
export function normaliseText(text: string): string {
  const normaliser = createTextNormaliser();
  return normaliser.push(text) + normaliser.end();
}

// oxlint-disable-next-line no-control-regex -- control characters are what this file is about
const special = /[\u0000\r\n\u001b\u0090\u0098\u009b\u009d\u009e\u009f]/g;

/** Reads plain text up to and including the next control character; returns where to go on. */
function readText(screen: Screen, chunk: string, at: number): number {
  special.lastIndex = at;
  const found = special.exec(chunk);
  const stop = found === null ? chunk.length : found.index;
  if (stop > at) append(screen, chunk.slice(at, stop));
  if (found !== null) control(screen, found[0]);
  return stop + 1;
}

/** Reads one character of an escape sequence; one that is not part of it is left to be read as text. */
function readEscape(screen: Screen, chunk: string, at: number): number {
  return belongs(screen, chunk.charAt(at)) ? at + 1 : at;
}

function append(screen: Screen, text: string): void {
  if (screen.returned) {
    screen.line = '';
    screen.returned = false;
  }
  screen.line += text;
  while (screen.line.length >= longestHeldLine) {
    screen.out += screen.line.slice(0, longestHeldLine);
    screen.line = screen.line.slice(longestHeldLine);
  }
}

function control(screen: Screen, char: string): void {
  switch (char) {
    case '\n':
      screen.out += `${screen.line}\n`;
      screen.line = '';
      screen.returned = false;
      return;
    case '\r':
      screen.returned = true;
      return;
    case '\u0000':
      append(screen, '\u2400');
      return;
    case '\u001b':
      screen.mode = 'escape';
      return;
    case '\u009b':
      screen.parameters = '';
      screen.mode = 'csi';
      return;
    default:
      screen.mode = 'string';
  }
}

function belongs(screen: Screen, char: string): boolean {
  if (screen.mode === 'csi') return insideCsi(screen, char);
  if (screen.mode === 'string') return insideString(screen, char);
  if (screen.mode === 'stringEscape' && char === '\\') {
    screen.mode = 'text';
    return true;
  }
  return afterEscape(screen, char);
}

function insideCsi(screen: Screen, char: string): boolean {
  if (char >= ' ' && char <= '?') {
    if (screen.parameters.length < 64) screen.parameters += char;
    return true;
  }
  screen.mode = 'text';
  if (char === 'K') eraseInLine(screen);
  return char >= '@' && char <= '~';
}

/** Tools erase a progress line with CR and "erase in line": what was erased is not the line's last state. */
function eraseInLine(screen: Screen): void {
  const fromCursor = screen.parameters === '' || screen.parameters === '0';
  if (screen.parameters === '2' || (fromCursor && screen.returned)) screen.line = '';
}

function insideString(screen: Screen, char: string): boolean {
  // No terminal string spans lines: an unfinished one must not swallow the rest of the output.
  if (char === '\n') {
    screen.mode = 'text';
    return false;
  }
  if (char === '\u001b') screen.mode = 'stringEscape';
  if (char === '\u0007' || char === '\u009c') screen.mode = 'text';
  return true;
}

function afterEscape(screen: Screen, char: string): boolean {
  if (char === '[') {
    screen.parameters = '';
    screen.mode = 'csi';
    return true;
  }
  if (']PX^_'.includes(char)) {
    screen.mode = 'string';
    return true;
  }
  const intermediate = char >= ' ' && char <= '/';
  screen.mode = intermediate ? 'escape' : 'text';
  return intermediate || (char >= '0' && char <= '~');
}

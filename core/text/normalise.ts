/**
 * A9: the text that match, compare, fingerprint, feedback and the database see. It is what a terminal would show:
 * escapes gone, CRLF as LF, a line rewritten with CR in its last state, NUL visible as U+2400.
 */

/** A line longer than this is handed on in pieces, so that memory stays bounded; a later CR rewrites only the last piece. */
const longestHeldLine = 65_536;

type State = 'text' | 'escape' | 'csi' | 'string' | 'stringEscape';

export interface TextNormaliser {
  /** Takes decoded text in pieces of any size; returns what is final so far (whole lines, as a rule). */
  push(chunk: string): string;
  /** Returns the last, unfinished line. The normaliser is then empty and may be used again. */
  end(): string;
}

// oxlint-disable-next-line no-control-regex -- control characters are what this file is about
const special = /[\u0000\r\n\u001b\u0090\u0098\u009b\u009d\u009e\u009f]/g;

/** A normaliser whose output does not depend on how the text is cut into chunks. */
export function createTextNormaliser(): TextNormaliser {
  let state: State = 'text';
  let parameters = '';
  let line = '';
  let returned = false;
  let out = '';

  const append = (text: string) => {
    if (returned) {
      line = '';
      returned = false;
    }
    line += text;
    while (line.length >= longestHeldLine) {
      out += line.slice(0, longestHeldLine);
      line = line.slice(longestHeldLine);
    }
  };

  const endOfLine = () => {
    out += `${line}\n`;
    line = '';
    returned = false;
  };

  const eraseInLine = () => {
    const fromCursor = parameters === '' || parameters === '0';
    if (parameters === '2' || (fromCursor && returned)) line = '';
  };

  const control = (char: string) => {
    switch (char) {
      case '\n':
        return endOfLine();
      case '\r':
        returned = true;
        return;
      case '\u0000':
        return append('\u2400');
      case '\u001b':
        state = 'escape';
        return;
      case '\u009b':
        parameters = '';
        state = 'csi';
        return;
      default:
        state = 'string';
    }
  };

  /** Handles one character inside an escape sequence; false when the character is not part of it. */
  const escaped = (char: string): boolean => {
    if (state === 'csi') {
      if (char >= ' ' && char <= '?') {
        if (parameters.length < 64) parameters += char;
        return true;
      }
      state = 'text';
      if (char === 'K') eraseInLine();
      return char >= '@' && char <= '~';
    }
    if (state === 'string') return insideString(char);
    if (state === 'stringEscape' && char === '\\') {
      state = 'text';
      return true;
    }
    return afterEscape(char);
  };

  const insideString = (char: string): boolean => {
    if (char === '\u001b') state = 'stringEscape';
    else if (char === '\u0007' || char === '\u009c') state = 'text';
    else if (char === '\n') {
      // No terminal string spans lines: an unfinished one must not swallow the rest of the output.
      state = 'text';
      return false;
    }
    return true;
  };

  const afterEscape = (char: string): boolean => {
    if (char === '[') {
      parameters = '';
      state = 'csi';
      return true;
    }
    if (char === ']' || char === 'P' || char === 'X' || char === '^' || char === '_') {
      state = 'string';
      return true;
    }
    if (char >= ' ' && char <= '/') {
      state = 'escape';
      return true;
    }
    state = 'text';
    return char >= '0' && char <= '~';
  };

  return {
    push(chunk) {
      out = '';
      let at = 0;
      while (at < chunk.length) {
        const char = chunk.charAt(at);
        if (state !== 'text') {
          if (escaped(char)) at += 1;
          continue;
        }
        special.lastIndex = at;
        const found = special.exec(chunk);
        const stop = found === null ? chunk.length : found.index;
        if (stop > at) append(chunk.slice(at, stop));
        if (found !== null) control(found[0]);
        at = stop + 1;
      }
      return out;
    },
    end() {
      const rest = line;
      line = '';
      returned = false;
      state = 'text';
      return rest;
    },
  };
}

/** A9 for a text that is already whole. */
export function normaliseText(text: string): string {
  const normaliser = createTextNormaliser();
  return normaliser.push(text) + normaliser.end();
}

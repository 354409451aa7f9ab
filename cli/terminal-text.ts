/** An escape sequence of colour, which is all that a text may tell a terminal beside its line ends and tabs. */
const colourOrControl =
  // oxlint-disable-next-line no-control-regex -- control characters are what this file is about
  /\u001b\[[\d;]{0,32}m|\r\n?|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * A text as a terminal may have it (A9). Names, reasons, comments and outputs of programs come from everywhere: what would
 * move the cursor, change the title or fill the clipboard is shown in place of being obeyed. A CR ends a line, since it would
 * hide the beginning of one.
 */
export function terminalText(text: string): string {
  return text.replaceAll(colourOrControl, (found) => {
    if (found.startsWith('\r')) return '\n';
    return found.length > 1 ? found : visible(found.charCodeAt(0));
  });
}

function visible(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\uFFFD';
}

// oxlint-disable-next-line no-control-regex -- as above
const unfinished = /(?:\r|\u001b(?:\[[\d;]{0,32})?)$/;

/** The same for a text that comes in pieces: what may be the beginning of a sequence waits for the next piece. */
export function createTerminalText(): (piece: string) => string {
  let held = '';
  return (piece) => {
    const text = held + piece;
    held = unfinished.exec(text)?.[0] ?? '';
    return terminalText(text.slice(0, text.length - held.length));
  };
}

/** What Dagu may replace in a text: `${…}`, `$NAME`, or text between. `at` is its offset. */
export type TextPiece =
  | { kind: 'text'; text: string; at: number }
  /** `${NAME}` or `$NAME`: a variable of the environment. */
  | { kind: 'variable'; name: string; source: string; at: number }
  /** `${a.b.c}`: a value that Dagu itself knows. */
  | { kind: 'value'; path: string; source: string; at: number };

const reference = /(?<!\\)(\\*)\$(?:\{([^{}\s]{1,200})\}|([A-Za-z_]\w*))/g;
const variable = /^[A-Za-z_]\w*$/;
const valuePath = /^[A-Za-z_][\w-]*(?:\[\d+\])*(?:\.[\w-]+(?:\[\d+\])*)+$/;

/**
 * Finds the references of a text, in order. Whatever else a shell reads behind `$` (`${x:-y}`, `$(…)`, `$1`) is text. A
 * backslash before `${a.b}` makes it text and is left out, two of them stay (Dagu's own rule); before a variable it is the
 * shell's.
 */
export function readReferences(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let done = 0;
  const addText = (from: number, to: number, added = ''): void => {
    const between = text.slice(from, to) + added;
    if (between !== '') pieces.push({ kind: 'text', text: between, at: from });
  };
  for (const found of text.matchAll(reference)) {
    const [whole, slashes = '', braced, plain] = found;
    const at = found.index + slashes.length;
    const end = found.index + whole.length;
    const name = braced ?? plain ?? '';
    const source = text.slice(at, end);
    const isValue = braced !== undefined && valuePath.test(braced);
    if (!isValue && !variable.test(name)) continue;
    const escaped = slashes.length % 2 === 1;
    if (escaped && !isValue) continue;
    if (escaped) {
      addText(done, at - 1, source);
    } else {
      addText(done, at);
      const path = name.replaceAll(/\[(\d+)\]/g, '.$1');
      pieces.push(isValue ? { kind: 'value', path, source, at } : { kind: 'variable', name, source, at });
    }
    done = end;
  }
  addText(done, text.length);
  return pieces;
}

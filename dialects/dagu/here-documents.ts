import type { TextPiece } from '#dialects/dagu/references.ts';
import { ShellContext } from '#dialects/dagu/shell-context.ts';
import type { TextScope } from '#dialects/dagu/texts.ts';

/**
 * Here-documents in which the shell would expand nothing, though there are values in them. Inserted, a value with the
 * delimiter on a line of its own would end the document, and the shell would run the rest of it.
 */
export function documentsWithValues(pieces: readonly TextPiece[], scope: Pick<TextScope, 'names' | 'at'>): Set<number> {
  const { names, at } = scope;
  const context = new ShellContext();
  const found = new Set<number>();
  for (const piece of pieces) {
    const number = context.place() === 'literal-document' ? context.document() : undefined;
    if (number !== undefined && piece.kind === 'value' && names.value(piece.path, at).kind !== 'problem') {
      found.add(number);
    }
    context.read(piece.kind === 'text' ? piece.text : piece.source);
  }
  return found;
}

import { Document, isCollection, isMap, isScalar, Scalar, visit } from 'yaml';
import type { Node } from 'yaml';

import type { Definition } from '#core/definition/definition.ts';
import { writtenOf } from '#dialects/convert/definition.ts';

/**
 * A definition of any dialect as the text of a native file. Reading that text again gives a definition that compiles to
 * the same plan.
 */
export function nativeText(definition: Definition): string {
  const document = new Document({ setpoint: 1, ...writtenOf(definition) }, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = Scalar.BLOCK_LITERAL;
    },
    Collection: (_key, node) => {
      if (node !== document.contents && fitsOneLine(node)) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, singleQuote: true });
}

const longestLine = 80;

/** Lists and mappings of a few short values, and of lists of those, are read best on one line. */
function fitsOneLine(node: Node): boolean {
  return isCollection(node) && widthOf(node, 1) <= longestLine;
}

function widthOf(node: unknown, depth: number): number {
  if (isCollection(node)) {
    if (depth < 0 || (depth === 0 && isMap(node))) return Number.POSITIVE_INFINITY;
    const values = isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : node.items;
    return values.reduce<number>((sum, value) => sum + widthOf(value, depth - 1) + 2, 2);
  }
  const text = isScalar(node) ? String(node.value) : '';
  return text.includes('\n') ? Number.POSITIVE_INFINITY : text.length;
}

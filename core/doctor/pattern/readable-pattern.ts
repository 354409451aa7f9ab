import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

import { unreachable } from '#core/exhaustive.ts';
import { patternFlags } from '#core/plan/pattern.ts';

const parser = new RegExpParser({ ecmaVersion: 2025 });
/**
 * The longest text that a pattern with so many stars is tried on: the work grows as a power of the length, and at these it
 * stays below a few million steps, whatever the stars stand beside.
 */
const longestProbes = [4000, 2000, 300, 100, 50, 30] as const;

/** A pattern that can be tried on a short text without a kill timer (decision 2), and what it looks for. */
export interface ReadablePattern {
  /** A text that it matches, made of the characters that it writes out, such as `VERDICT: APPROVE`. */
  sample: string;
  matches: (text: string) => boolean;
}

/**
 * Undefined for a pattern that could take long (a quantifier inside a quantifier, a back reference, many stars), or that
 * no sample was found for: nothing is said about it. Never throws.
 */
export function readPattern(pattern: string): ReadablePattern | undefined {
  const ast = parsed(pattern);
  const longest = ast === undefined ? undefined : longestProbes[starsOf(ast)];
  if (ast === undefined || longest === undefined) return undefined;
  const expression = new RegExp(pattern, patternFlags);
  const matches = (text: string): boolean => text.length <= longest && expression.test(text);
  const sample = sampleOf(ast.alternatives[0]);
  return sample === undefined ? undefined : { sample, matches };
}

function parsed(pattern: string): AST.Pattern | undefined {
  try {
    return parser.parsePattern(pattern);
  } catch {
    // What is wrong with it is an issue of its own (`pattern/invalid`).
    return undefined;
  }
}

/** How many of its quantifiers can take many characters; infinite where they stand inside each other. */
function starsOf(ast: AST.Pattern): number {
  let nested = 0;
  let stars = 0;
  visitRegExpAST(ast, {
    onQuantifierEnter: (node) => {
      if (node.max <= 1) return;
      stars += nested > 0 ? Number.POSITIVE_INFINITY : 1;
      nested += 1;
    },
    onQuantifierLeave: (node) => {
      if (node.max > 1) nested -= 1;
    },
    onBackreferenceEnter: () => {
      stars = Number.POSITIVE_INFINITY;
    },
  });
  return stars;
}

function sampleOf(alternative: AST.Alternative | undefined): string | undefined {
  let text = '';
  for (const element of alternative?.elements ?? []) {
    const piece = sampleOfElement(element);
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}

function sampleOfElement(element: AST.Element): string | undefined {
  switch (element.type) {
    case 'Assertion':
      return '';
    case 'Character':
      return String.fromCodePoint(element.value);
    case 'Group':
    case 'CapturingGroup':
      return sampleOf(element.alternatives[0]);
    case 'Quantifier':
      return sampleOfQuantifier(element);
    case 'CharacterSet':
      return sampleOfSet(element);
    case 'CharacterClass':
      return sampleOfClass(element);
    case 'Backreference':
    case 'ExpressionCharacterClass':
      return undefined;
    default:
      return unreachable(element);
  }
}

/** `\s*` between words is written as the space that people write there. */
function sampleOfQuantifier({ element, min }: AST.Quantifier): string | undefined {
  if (min === 0) return element.type === 'CharacterSet' && element.kind === 'space' ? ' ' : '';
  return sampleOfElement(element)?.repeat(Math.min(min, 20));
}

function sampleOfSet(set: AST.CharacterSet): string | undefined {
  if (set.kind === 'any') return 'a';
  if (set.kind === 'property') return undefined;
  const members = { digit: '7', space: ' ', word: 'w' } as const;
  const others = { digit: 'x', space: 'x', word: '-' } as const;
  return set.negate ? others[set.kind] : members[set.kind];
}

function sampleOfClass({ negate, elements }: AST.CharacterClass): string | undefined {
  if (negate) return undefined;
  const [first] = elements;
  if (first === undefined) return undefined;
  if (first.type === 'Character') return String.fromCodePoint(first.value);
  if (first.type === 'CharacterClassRange') return String.fromCodePoint(first.min.value);
  return first.type === 'CharacterSet' ? sampleOfSet(first) : undefined;
}

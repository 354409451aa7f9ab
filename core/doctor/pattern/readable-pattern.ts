import { type AST, RegExpParser } from '@eslint-community/regexpp';

import { unreachable } from '#core/exhaustive.ts';
import { type Ways, waysOfMany } from '#core/doctor/pattern/ways.ts';
import { patternFlags } from '#core/plan/pattern.ts';

const parser = new RegExpParser({ ecmaVersion: 2025 });
/** A text that is shorter is no probe: a pattern that could take long on it is not tried at all. */
const shortestProbe = 20;

/** How many steps all patterns of a plan may take together, at the worst: about a second. */
const mostSteps = 100_000_000;

/** What is left of `mostSteps`. */
export interface Trying {
  steps: number;
}

export function startTrying(): Trying {
  return { steps: mostSteps };
}

/** A pattern that can be tried on a short text without a kill timer (decision 2), and what it looks for. */
export interface ReadablePattern {
  /** A text that it matches, made of the characters that it writes out, such as `VERDICT: APPROVE`. */
  sample: string;
  matches: (text: string) => boolean;
}

/**
 * Undefined for a pattern that could take long (a quantifier inside a quantifier, a back reference, many stars or choices),
 * or that no sample was found for: nothing is said about it. What `trying` has no steps left for matches nothing. Never
 * throws.
 */
export function readPattern(pattern: string, trying: Trying = startTrying()): ReadablePattern | undefined {
  const ast = parsed(pattern);
  const ways = ast === undefined ? undefined : waysOfMany(ast.alternatives);
  if (ast === undefined || ways === undefined || longestProbe(ways) < shortestProbe) return undefined;
  const expression = new RegExp(pattern, patternFlags);
  const longest = longestProbe(ways);
  const matches = (text: string): boolean => {
    if (text.length > longest) return false;
    const steps = stepsOn(text.length, ways);
    if (steps > trying.steps) return false;
    trying.steps -= steps;
    return expression.test(text);
  };
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

function longestProbe(ways: Ways): number {
  const longest = [4000, 2000, 300, 100, 50, 30][ways.stars];
  if (longest === undefined) return 0;
  const most = (mostStepsOfOne * factorial(ways.stars + 1)) / ways.choices;
  return Math.min(longest, Math.floor(most ** (1 / (ways.stars + 1))));
}

const mostStepsOfOne = 10_000_000;

/** The most that an engine that goes back can take: from each place, every choice with every length of every star. */
function stepsOn(length: number, { stars, choices }: Ways): number {
  return (length ** (stars + 1) / factorial(stars + 1)) * choices;
}

/** The stars stand one after the other, so that a longer one leaves less for the next. */
function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1);
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

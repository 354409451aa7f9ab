import type { AST } from '@eslint-community/regexpp';

import { unreachable } from '#core/exhaustive.ts';

/** In how many ways a pattern can be tried from one place of a text, at the most. */
export interface Ways {
  /** Quantifiers that can take many characters: each has as many ways as the text has characters. */
  stars: number;
  /** Of the alternatives, and of what may be left out, all together. */
  choices: number;
}

const one: Ways = { stars: 0, choices: 1 };
/** Choices within a repetition: their number grows as a power of the text's length. */
const endless: Ways = { stars: Number.POSITIVE_INFINITY, choices: Number.POSITIVE_INFINITY };

export function waysOfMany(alternatives: readonly AST.Alternative[]): Ways {
  const all = alternatives.map(({ elements }) => inSequence(elements.map(waysOf)));
  return { stars: sum(all.map(({ stars }) => stars)), choices: sum(all.map(({ choices }) => choices)) };
}

function inSequence(parts: readonly Ways[]): Ways {
  return {
    stars: sum(parts.map(({ stars }) => stars)),
    choices: parts.reduce((product, { choices }) => product * choices, 1),
  };
}

function waysOf(element: AST.Element): Ways {
  switch (element.type) {
    case 'Assertion':
      return 'alternatives' in element ? waysOfMany(element.alternatives) : one;
    case 'Group':
    case 'CapturingGroup':
      return waysOfMany(element.alternatives);
    case 'Quantifier':
      return waysOfQuantifier(element);
    case 'Backreference':
      return endless;
    case 'Character':
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass':
      return one;
    default:
      return unreachable(element);
  }
}

function waysOfQuantifier({ element, min, max }: AST.Quantifier): Ways {
  const each = waysOf(element);
  if (max <= 1) return min === max ? each : { ...each, choices: each.choices + 1 };
  return each.stars > 0 || each.choices > 1 ? endless : { stars: 1, choices: 1 };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

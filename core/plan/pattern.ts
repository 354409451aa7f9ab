import type { IssueCode } from '#core/issue/issue-codes.ts';

/** The flags of every pattern (A6). */
export const patternFlags = 'im';

/** Syntax of other languages that JavaScript refuses or, worse, reads as something else. Tried at each position. */
const foreign: readonly { at: RegExp; means: string }[] = [
  {
    at: /^\(\?[imsxUuLa]+(-[imsx]+)?[):]/,
    means: 'inline flags; case is ignored already and `^`, `$` match at line ends',
  },
  { at: /^\(\?-[imsx]+[):]/, means: 'inline flags; write both cases, such as `[Aa]`' },
  { at: /^\(\?P[<=>]/, means: "Python's named groups; write `(?<name>…)`" },
  { at: /^\(\?>/, means: 'an atomic group; write `(?:…)`' },
  { at: /^\(\?#/, means: 'a comment; remove it' },
  { at: /^\(\?(R|\d+)\)/, means: 'recursion, which JavaScript has not' },
  { at: /^(?:[*+?]|\{\d+(?:,\d*)?\})\+/, means: 'a possessive quantifier; write it without the second `+`' },
  { at: /^\\[AzZ]/, means: 'an anchor of the whole text; use `^` and `$`, or `(?![\\s\\S])` for the end' },
  { at: /^\\[QEGKhHRX]/, means: 'an escape that JavaScript has not' },
];

const posixClass = /^\[:\^?[a-z]+:\]/;

/**
 * What is wrong with a pattern, or undefined. The pattern is compiled and never run here: user patterns run on a host
 * under a kill timer (decision 2). Messages begin as V-10 says when `owner` is `Step "Name"`.
 */
export function patternProblem(pattern: string, owner: string): { code: IssueCode; message: string } | undefined {
  if (pattern === '') {
    return {
      code: 'pattern/empty',
      message: `${owner}: an empty pattern matches everything; write what to look for or remove it`,
    };
  }
  const found = foreignSyntax(pattern);
  if (found !== undefined) {
    return { code: 'pattern/foreign', message: `${owner}: invalid regex: \`${found.text}\` is ${found.means}` };
  }
  const reason = compileError(pattern);
  if (reason === undefined) return undefined;
  return { code: 'pattern/invalid', message: `${owner}: invalid regex \`${shown(pattern)}\`: ${reason}` };
}

function compileError(pattern: string): string | undefined {
  try {
    // Only the constructor's judgement is wanted; the expression itself is never run here.
    return new RegExp(pattern, patternFlags).flags === patternFlags ? undefined : 'its flags were not taken';
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.split(': ').at(-1) ?? message;
  }
}

function foreignSyntax(pattern: string): { text: string; means: string } | undefined {
  let inClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const rest = pattern.slice(at, at + 24);
    const character = pattern[at];
    if (inClass) {
      const posix = posixClass.exec(rest);
      if (posix !== null) return { text: posix[0], means: 'a POSIX class; write the characters, such as `a-z`' };
      if (character === ']') inClass = false;
    } else {
      const hit = foreign.find((syntax) => syntax.at.test(rest));
      if (hit !== undefined) return { text: hit.at.exec(rest)?.[0] ?? rest, means: hit.means };
      if (character === '[') inClass = true;
    }
    if (character === '\\') at += 1;
  }
  return undefined;
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

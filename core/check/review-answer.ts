import { z } from 'zod';

import { endOfBlock, jsonOf } from '#core/text/json-block.ts';

/** What a reviewer answers (B5). Every key is asked for; the lists of what is not blocking may be left out. */
export const ReviewAnswer = z.strictObject({
  passed: z.boolean(),
  summary: z.string(),
  /** What must change before the work passes. */
  blockingFindings: z.array(z.strictObject({ criterion: z.string(), evidence: z.string() })),
  /** What could be better; never a reason to fail. */
  advisories: z.array(z.string()).default([]),
  /** What was looked at. */
  evidence: z.array(z.string()).default([]),
});
export type ReviewAnswer = z.infer<typeof ReviewAnswer>;

/** The older form, in which the evidence is the finding. */
const OlderAnswer = z.strictObject({
  passed: z.boolean(),
  summary: z.string(),
  evidence: z.union([z.string(), z.array(z.string())]),
});

/** What an answer of a reviewer comes to. */
export type ReviewRead =
  | { kind: 'pass' | 'fail'; answer: ReviewAnswer }
  /** `passed: false` that names nothing to mend. */
  | { kind: 'unfounded'; answer: ReviewAnswer }
  /** No verdict, or more than one: it never passes. */
  | { kind: 'unclear'; why: string };

/** What is longer, or would take longer to read, is not read: a verdict is short. In characters, `read` of all blocks together. */
const most = { characters: 400_000, read: 10_000_000 };

const opening = /\{\s*"((?:[^"\\]|\\.)*)"\s*:/g;
const keys: ReadonlySet<string> = new Set(Object.keys(ReviewAnswer.shape));

/**
 * B5: the last well-formed block of the answer that fits the schema and is no quote of `quoted`, the brief, counts. Two
 * different ones, or one that is broken, are no verdict; `passed` counts only without a blocking finding.
 */
export function readReview(answer: string, quoted: string): ReviewRead {
  const brief = quoted.trim();
  // Some agents print what they were given back (A9).
  const { blocks, broken, tooLong } = blocksOf(brief === '' ? answer : answer.replaceAll(brief, '\n'));
  const quotes = quotesOf(brief);
  if (tooLong || quotes.tooLong) return { kind: 'unclear', why: 'what was said is too long to be read' };
  const own = blocks.filter((block) => !quotes.hasVerdict(block));
  const last = own.at(-1);
  if (broken.some((block) => !quotes.hasText(block))) {
    return { kind: 'unclear', why: 'a block that looks like the verdict does not fit the schema' };
  }
  if (last === undefined) {
    const quote = 'its verdict is word for word one that the brief quotes; say it in words of its own';
    return { kind: 'unclear', why: blocks.length > 0 ? quote : 'the answer holds no verdict of the asked form' };
  }
  if (new Set(own.map(identityOf)).size > 1) {
    return { kind: 'unclear', why: 'the answer holds different verdicts' };
  }
  if (last.blockingFindings.length > 0) return { kind: 'fail', answer: last };
  return { kind: last.passed ? 'pass' : 'unfounded', answer: last };
}

interface Blocks {
  blocks: ReviewAnswer[];
  /** The text of what begins like a verdict and is none. */
  broken: string[];
  tooLong: boolean;
}

/** The verdicts that stand in a text, fenced or not, in order. What is inside of another JSON block is a part of that. */
function blocksOf(text: string): Blocks {
  const found: Blocks = { blocks: [], broken: [], tooLong: text.length > most.characters };
  let [at, read] = [0, 0];
  while (!found.tooLong) {
    opening.lastIndex = at;
    const start = opening.exec(text);
    if (start === null) break;
    const end = endOfBlock(text, start.index);
    const block = text.slice(start.index, end);
    read += block.length;
    found.tooLong = read > most.read;
    const value = end === undefined ? undefined : jsonOf(block);
    const answer = answerOf(block, value);
    if (answer !== undefined) found.blocks.push(answer);
    else if (looksLikeVerdict(start[1] ?? '', value)) found.broken.push(block);
    at = value === undefined || end === undefined ? start.index + 1 : end;
  }
  return found;
}

function looksLikeVerdict(firstKey: string, value: object | undefined): boolean {
  return value === undefined ? keys.has(firstKey) : 'passed' in value;
}

function answerOf(block: string, value: object | undefined): ReviewAnswer | undefined {
  if (value === undefined || saysTwice(block)) return undefined;
  const answer = ReviewAnswer.safeParse(value).data;
  if (answer !== undefined) return answer;
  const older = OlderAnswer.safeParse(value).data;
  return older === undefined ? undefined : fromOlder(older);
}

/** JSON takes the last of two equal keys: such a verdict says both. An escape in a key would hide one. */
function saysTwice(block: string): boolean {
  return (block.match(/(?<!\\)"passed"\s*:/g) ?? []).length !== 1 || /(?<!\\)"(?:[^"\\]|\\.)*\\u[^"]*"\s*:/.test(block);
}

function fromOlder({ passed, summary, evidence }: z.infer<typeof OlderAnswer>): ReviewAnswer {
  const told = [evidence].flat();
  const isFounded = !passed && told.some((text) => text.trim() !== '');
  const blockingFindings = isFounded ? [{ criterion: summary, evidence: told.join('\n') }] : [];
  return { passed, summary, blockingFindings, advisories: [], evidence: told };
}

/** What stands in front of a line when a text is shown as a diff, a quote, a comment or with line numbers. */
const lineLead = /^[ \t]*(?:\d+[:|\t ][ \t]*)?(?:[+\-<>|#*]|\/\/)?[ \t]?/gm;

interface Quotes {
  hasVerdict(answer: ReviewAnswer): boolean;
  hasText(block: string): boolean;
  tooLong: boolean;
}

/** What a text holds already: a verdict in it was written by somebody else, whatever its line ends and indents. */
function quotesOf(text: string): Quotes {
  const readings = [text, text.replaceAll(lineLead, '')];
  const found = readings.map(blocksOf);
  const identities = new Set(found.flatMap(({ blocks }) => blocks.map(identityOf)));
  const squeezed = readings.map(squeeze);
  return {
    hasVerdict: (answer) => identities.has(identityOf(answer)),
    hasText: (block) => squeezed.some((reading) => reading.includes(squeeze(block))),
    tooLong: found.some(({ tooLong }) => tooLong),
  };
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

function identityOf({ passed, summary, blockingFindings, advisories, evidence }: ReviewAnswer): string {
  const findings = blockingFindings.map((finding) => [finding.criterion, finding.evidence]);
  return squeeze(JSON.stringify([passed, summary, findings, advisories, evidence]));
}

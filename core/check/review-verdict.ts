import type { ReviewAnswer, ReviewRead } from '#core/check/review-answer.ts';
import { normaliseForFingerprint } from '#core/text/fingerprint.ts';
import { oneLine } from '#core/text/quote.ts';

/** What a review came to, as its verdict tells it. */
export interface ReviewVerdict {
  kind: 'pass' | 'fail' | 'error';
  /** One line. */
  summary: string;
  /** The blocking findings, for the next pass; empty when there is nothing to mend. */
  feedback: string;
  advisories: string[];
  /** What is the same in two passes when the same was found (C8, C10). */
  normalised: string;
}

const mostAdvisories = 20;
const mostCharacters = 300;

/** Whether the reviewer is asked once more (B5): what it said is no verdict, or names nothing to mend. */
export function needsRepair(read: ReviewRead): boolean {
  return read.kind === 'unclear' || read.kind === 'unfounded';
}

/** After a repair question: what the second answer left open, the first one may still decide; it never makes it pass. */
export function repairedRead(first: ReviewRead, second: ReviewRead): ReviewRead {
  return second.kind === 'unclear' && first.kind === 'unfounded' ? first : second;
}

/** The verdict of what was read last: no verdict is an `error`, and a refusal that names nothing is a failure. */
export function verdictOfReview(read: ReviewRead): ReviewVerdict {
  if (read.kind === 'unclear') {
    const summary = `the reviewer gave no verdict: ${read.why}`;
    return { kind: 'error', summary, feedback: '', advisories: [], normalised: read.why };
  }
  const { answer } = read;
  const kind = read.kind === 'pass' ? 'pass' : 'fail';
  return {
    kind,
    summary: summaryOf(answer, kind),
    feedback: kind === 'pass' ? '' : feedbackOf(answer),
    advisories: answer.advisories.slice(0, mostAdvisories).map((advisory) => oneLine(advisory, mostCharacters)),
    normalised: kind === 'pass' ? '' : normalisedOf(answer),
  };
}

function summaryOf({ passed, summary, blockingFindings }: ReviewAnswer, kind: 'pass' | 'fail'): string {
  const told = oneLine(summary, mostCharacters);
  if (kind === 'pass') return told === '' ? 'nothing stands in the way' : told;
  const first = oneLine(blockingFindings[0]?.criterion ?? '', mostCharacters);
  const despite = passed ? 'it says passed, but a finding blocks: ' : '';
  return `${despite}${[told, first].find((text) => text !== '') ?? 'it did not pass, and the reviewer named no finding'}`;
}

function feedbackOf({ summary, blockingFindings, evidence }: ReviewAnswer): string {
  if (blockingFindings.length === 0) {
    const lines = ['The reviewer did not pass the work and named no finding that blocks it.', summary, ...evidence];
    return lines.filter((line) => line.trim() !== '').join('\n');
  }
  return blockingFindings
    .map((finding, index) => `${index + 1}. ${finding.criterion.trim()}\n   Evidence: ${finding.evidence.trim()}`)
    .join('\n');
}

/** Whatever the order, the case and the spaces. */
function normalisedOf({ summary, blockingFindings }: ReviewAnswer): string {
  const texts = blockingFindings.length === 0 ? [summary] : blockingFindings.map(findingText);
  return texts
    .map((text) => normaliseForFingerprint(text).toLowerCase().replaceAll(/\s+/g, ' ').trim())
    .toSorted()
    .join('\n');
}

function findingText({ criterion, evidence }: ReviewAnswer['blockingFindings'][number]): string {
  return `${criterion}: ${evidence}`;
}

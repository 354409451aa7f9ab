import { type ReviewRead, readReview } from '#core/check/review-answer.ts';
import { repairQuestion } from '#core/check/review-brief.ts';
import { needsRepair, repairedRead } from '#core/check/review-verdict.ts';
import type { Asked, Reviewer } from '#activities/review/reviewer.ts';

/** A review that was led to its end. */
export interface Conducted {
  /** Absent: the agent's own run gave no answer, as the last of `asked` tells. */
  read?: ReviewRead;
  asked: Asked[];
}

/** B5: the brief, and one repair question when its answer is no verdict or names nothing to mend. */
export async function conduct(reviewer: Reviewer, brief: string): Promise<Conducted> {
  const first = await reviewer.ask({ prompt: brief, number: 1 });
  if (first.outcome.kind !== 'ok') return { asked: [first] };
  const read = readReview(first.answer, brief);
  if (!needsRepair(read)) return { read, asked: [first] };
  const again = await askAgain(reviewer, { read, brief, first });
  const last = again.at(-1);
  const asked = [first, ...again];
  if (last?.outcome.kind === 'ok') return { read: repairedRead(read, readReview(last.answer, brief)), asked };
  // It said that the work does not pass; that it cannot be asked why changes nothing.
  return read.kind === 'unfounded' && last?.outcome.kind !== 'cancelled' ? { read, asked } : { asked };
}

interface Unsettled {
  read: ReviewRead;
  brief: string;
  first: Asked;
}

/** In the session that gave the answer, which knows the work already; where it is lost, in a fresh one that is told all. */
async function askAgain(reviewer: Reviewer, { read, brief, first }: Unsettled): Promise<Asked[]> {
  const { session } = first;
  const resumed =
    reviewer.resumable && session !== undefined
      ? [await reviewer.ask({ prompt: repairQuestion(read), number: 2, session })]
      : [];
  if (resumed.some(({ outcome }) => outcome.kind !== 'session_lost')) return resumed;
  const prompt = repairQuestion(read, { brief, answer: first.answer });
  return [...resumed, await reviewer.ask({ prompt, number: resumed.length + 2 })];
}

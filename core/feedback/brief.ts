import { readReport, reportShape } from '#core/check/report.ts';
import { worklistText } from '#core/check/work-item.ts';
import type { BriefFacts } from '#core/contract/activities.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import { normaliseText } from '#core/text/normalise.ts';
import { fenced, inlineQuote } from '#core/text/quote.ts';
import type { PathChange } from '#core/workspace/snapshot.ts';

/** A feedback entry with its text, as the host fetched it from the artifact store. */
export interface FeedbackText {
  entry: FeedbackEntry;
  text: string;
  /** Where the whole output can be read, when it was written beside the agent. */
  path?: string;
}

/** The one `## Feedback` block of C9; empty when there is nothing to tell. */
export function feedbackBlock(texts: readonly FeedbackText[]): string {
  if (texts.length === 0) return '';
  const baseline = texts.every(({ entry }) => entry.baseline);
  const title = baseline
    ? 'These checks already failed before any work was done:'
    : 'The pass before this one did not pass. What was found:';
  return ['## Feedback', '', title, ...texts.map(entryBlock)].join('\n');
}

function entryBlock({ entry, text, path }: FeedbackText): string {
  const from = entry.check === undefined ? `step "${entry.step}"` : `check "${entry.check}" of step "${entry.step}"`;
  const when = entry.baseline ? 'on the base' : `in pass ${entry.pass}`;
  const stale = entry.stale ? ' (stale: that step has run again since)' : '';
  const whole = path === undefined ? '' : `\nThe whole output is in ${path}.`;
  const quoted = text === '' ? '' : `\n\n${fenced(text)}`;
  return `\n### ${from}, ${when}: ${entry.verdict}${stale}\n\n${inlineQuote(entry.summary)}${quoted}${whole}`;
}

const mostPaths = 100;

/** What the passes so far changed against the base (T-11); empty when nothing did. Of many paths the first hundred. */
export function changedBlock(changes: readonly PathChange[]): string {
  if (changes.length === 0) return '';
  const shown = changes.slice(0, mostPaths).map(({ path, change }) => `${change} ${normaliseText(path)}`);
  const more = changes.length - shown.length;
  const which = more === 0 ? `${changes.length} path(s)` : `the first ${shown.length} of ${changes.length} paths`;
  return `## The work so far\n\nChanged against the base, ${which}:\n\n${fenced(shown.join('\n'))}`;
}

/** What every brief says beside the task (C9): pass n of N, who decides, what is left. */
export function briefBlock(facts: BriefFacts): string {
  const limit = facts.passLimit === null ? 'no fixed number of passes' : `at most ${facts.passLimit}`;
  const lines = ['## This pass', '', `This is pass ${facts.pass} (${limit}).`];
  if (facts.checks.length > 0) {
    lines.push('', 'When you are done, these checks decide whether the work passes; your own report does not:');
    for (const { name, sentence } of facts.checks) {
      lines.push(sentence.startsWith(`${name}: `) ? `- ${sentence}` : `- ${name}: ${sentence}`);
    }
  }
  if (facts.newFailuresOnly === true) {
    lines.push(
      '',
      'What already fails on the base is not held against your work: leave it as it is unless it is your task.',
    );
  }
  const left = [
    facts.remainingSeconds === undefined ? [] : [`${Math.floor(facts.remainingSeconds / 60)} minutes of working time`],
    facts.remainingUsd === undefined ? [] : [`${facts.remainingUsd.toFixed(2)} USD`],
  ].flat();
  if (left.length > 0) lines.push('', `Left for the whole run: ${left.join(', ')}.`);
  return lines.join('\n');
}

/**
 * B7: which reports of its own the agent is to leave, and what it left open in the pass before; empty without a check on
 * one. `worklist` is the report that the pass before left.
 */
export function reportBlock(files: readonly string[], worklist?: string): string {
  if (files.length === 0) return '';
  const named = files.map((file) => inlineQuote(file)).join(', ');
  const how = `Before you end, write your report to ${named}; it is taken away afterwards and is no part of the work.`;
  const lines = ['## Your report', '', how, reportShape];
  const read = worklist === undefined ? undefined : readReport(worklist);
  const open = read?.kind === 'report' ? worklistText(read.report.worklist ?? []) : '';
  if (open !== '') lines.push('', 'You left this open in the pass before:', '', fenced(open));
  return lines.join('\n');
}

/** The prompt as the agent gets it: the feedback is appended unless the template placed it itself. */
export function composePrompt(parts: {
  task: string;
  feedback: string;
  placed: boolean;
  brief: string;
  report?: string;
  /** The block of `changedBlock`. */
  changed?: string;
}): string {
  const feedback = parts.placed ? '' : parts.feedback;
  const texts = [parts.task.trim(), feedback, parts.changed ?? '', parts.brief, parts.report ?? ''];
  return `${texts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** E4: stands at the end of the brief of a session that goes on in a workspace that was rebuilt since. */
export const rebuiltNote = `## Your workspace was rebuilt

The workspace was set back to the last snapshot of your work since you were here. What you did after it, and files that git ignores, may be gone: look at what is there before you build on it.
`;

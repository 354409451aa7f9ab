import { feedbackBlock } from '#core/feedback/brief.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import { feedbackFor, feedbackOf } from '#core/feedback/route.ts';
import type { Plan } from '#core/plan/plan.ts';
import { apply } from '#core/run/apply.ts';
import type { RunEvent } from '#core/run/event.ts';
import { planStep } from '#core/run/graph.ts';
import { planNow } from '#core/run/plan-now.ts';
import { initialState, type RunState, stepOf } from '#core/run/state.ts';

/** What one pass of a step was given (C9). `pass` null: what the last pass found and no pass was given any more. */
export interface RoutedFeedback {
  step: string;
  pass: number | null;
  /** When the pass began, epoch ms. */
  at: number;
  entries: FeedbackEntry[];
}

/** What was routed to each pass, as the law itself routes it, in the order in which the passes began. Pure. */
export function routedFeedback(plan: Plan, events: readonly RunEvent[]): RoutedFeedback[] {
  const routed: RoutedFeedback[] = [];
  let state = initialState(plan);
  for (const event of events) {
    if (event.type === 'attempt.started' && event.attempt === 1) {
      const { step, pass, at } = event;
      const entries = feedbackFor(planStep(planNow(plan, state), step), state, stepOf(state, step));
      if (entries.length > 0) routed.push({ step, pass, at, entries });
    }
    state = apply(plan, state, event);
  }
  return [...routed, ...notRouted(plan, state)];
}

/** What the last pass of a step left for a retry of the run. */
function notRouted(plan: Plan, state: RunState): RoutedFeedback[] {
  return planNow(plan, state).steps.flatMap((step) => {
    const own = stepOf(state, step.id);
    const entries = own.outcome === 'failed' && own.resultPass === own.pass ? feedbackOf(step, own) : [];
    return entries.length === 0 ? [] : [{ step: step.id, pass: null, at: state.now, entries }];
  });
}

/** What is told of feedback beside itself. */
export interface Telling {
  /** By SHA-256; an excerpt stands in for one that is gone. */
  texts: ReadonlyMap<string, string>;
  /** Of epoch ms. */
  timeText: (at: number) => string;
}

/** `feedback.md`: the blocks as the passes were given them. */
export function feedbackDocument(routed: readonly RoutedFeedback[], telling: Telling): string {
  if (routed.length === 0) return 'No pass was given feedback.\n';
  return routed.map((feedback) => section(feedback, telling)).join('\n');
}

function section({ step, pass, at, entries }: RoutedFeedback, { texts, timeText }: Telling): string {
  const time = timeText(at);
  const title = pass === null ? `# ${step}: what its last pass found (${time})` : `# ${step}, pass ${pass} (${time})`;
  const block = feedbackBlock(
    entries.map((entry) => {
      const text = entry.text === undefined ? '' : (texts.get(entry.text.sha256) ?? entry.text.excerpt);
      return { entry, text };
    }),
  );
  return `${title}\n\n${block}\n`;
}

/** The texts that the document shows, by SHA-256, each once. */
export function textsShown(routed: readonly RoutedFeedback[]): string[] {
  const shown = routed.flatMap(({ entries }) =>
    entries.flatMap(({ text }) => (text === undefined ? [] : [text.sha256])),
  );
  return [...new Set(shown)];
}

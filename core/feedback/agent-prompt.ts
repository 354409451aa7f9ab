import type { BriefFacts } from '#core/contract/activities.ts';
import { briefBlock, composePrompt } from '#core/feedback/brief.ts';
import { templateReferences } from '#core/template/references.ts';
import { renderPrompt, type TemplateScope } from '#core/template/render.ts';

export interface AgentPrompt {
  /** The step's prompt, or that of the loop which fired. */
  template: string;
  values: TemplateScope;
  /** The block of `feedbackBlock`; appended unless the template places it. */
  feedback: string;
  brief: BriefFacts;
  /** The block of `reportBlock`. */
  report: string;
  /** The block of `changedBlock`. */
  changed?: string;
}

/** The whole text that an agent gets for a pass: its task, what was found, what decides and what is left (C9). */
export function agentPrompt({ template, values, feedback, brief, report, changed = '' }: AgentPrompt): string {
  return composePrompt({
    task: renderPrompt(template, values),
    feedback,
    placed: templateReferences(template).some(({ path }) => path === 'feedback'),
    brief: briefBlock(brief),
    report,
    changed,
  });
}

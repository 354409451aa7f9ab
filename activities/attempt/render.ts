import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptInput, RenderScope } from '#core/contract/activities.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import { briefBlock, composePrompt, feedbackBlock, type FeedbackText } from '#core/feedback/brief.ts';
import { outputsNeeded, templateReferences } from '#core/template/references.ts';
import { renderCommand, renderPrompt, templateScope, type TemplateScope } from '#core/template/render.ts';
import { excerptCharacters } from '#core/text/excerpt.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { readTail } from '#activities/texts.ts';

/** The file in the agent's home that holds the feedback too (C9). */
export const feedbackFile = 'feedback.md';
/** A whole output above this is not copied for the agent; its excerpt names the failures. */
const mostCopied = 20 * 1024 * 1024;

/** A command with its values inserted, each as one quoted word (A11). */
export async function renderedCommand(deps: HostDeps, command: string, scope: RenderScope): Promise<string> {
  if (!command.includes('{{')) return command;
  return renderCommand(command, await scopeFor(deps, command, scope));
}

/** The whole brief of an agent's pass: task, feedback, what decides and what is left (C9). */
export async function renderedPrompt(deps: HostDeps, input: AttemptInput, agentHome: string): Promise<string> {
  const { step, scope } = input;
  if (step.work.kind !== 'agent') return '';
  const template = step.work.prompt;
  const feedback = feedbackBlock(await feedbackTexts(deps, scope, agentHome));
  const file = join(agentHome, feedbackFile);
  await (feedback === '' ? rm(file, { force: true }) : writeFile(file, feedback));
  const values = await scopeFor(deps, template, scope, feedback);
  return composePrompt({
    task: renderPrompt(template, values),
    feedback,
    placed: templateReferences(template).some(({ path }) => path === 'feedback'),
    brief: briefBlock(input.brief),
  });
}

async function scopeFor(
  deps: HostDeps,
  template: string,
  scope: RenderScope,
  feedback?: string,
): Promise<TemplateScope> {
  const outputs: Record<string, string> = {};
  for (const id of outputsNeeded(template)) {
    const ref = scope.outputs[id];
    outputs[id] = ref === undefined ? '' : await readTail(deps.artifacts, ref);
  }
  const wanted = feedback ?? (template.includes('feedback') ? feedbackBlock(await feedbackTexts(deps, scope)) : '');
  return templateScope({ inputs: scope.inputs, outputs, feedback: wanted, iteration: scope.iteration, run: scope.run });
}

function feedbackTexts(deps: HostDeps, scope: RenderScope, agentHome?: string): Promise<FeedbackText[]> {
  return Promise.all(
    scope.feedback.map(async (entry) => {
      const path = agentHome === undefined ? undefined : await copyWhole(deps, entry, agentHome);
      return {
        entry,
        text: entry.text === undefined ? '' : (await readTail(deps.artifacts, entry.text)).trimEnd(),
        ...(path === undefined ? {} : { path }),
      };
    }),
  );
}

/** What an excerpt cuts is laid beside the agent, where its sandbox lets it read (C9). */
async function copyWhole(deps: HostDeps, entry: FeedbackEntry, agentHome: string): Promise<string | undefined> {
  const { whole, check, step } = entry;
  if (whole === undefined || whole.bytes <= excerptCharacters || whole.bytes > mostCopied) return undefined;
  const name = `${step}-${check ?? 'attempt'}`.replaceAll(/[^\w.-]/g, '-');
  const path = join(agentHome, 'feedback', `${name}.log`);
  await mkdir(join(agentHome, 'feedback'), { recursive: true });
  await writeFile(path, await deps.artifacts.read(whole.sha256));
  return path;
}

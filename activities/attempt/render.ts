import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { AttemptInput, RenderScope } from '#core/contract/activities.ts';
import type { ArtifactRef } from '#core/contract/artifact.ts';
import type { FeedbackEntry } from '#core/feedback/feedback.ts';
import { present } from '#core/definition/present.ts';
import { agentPrompt } from '#core/feedback/agent-prompt.ts';
import { changedBlock, feedbackBlock, type FeedbackText, reportBlock } from '#core/feedback/brief.ts';
import { outputsNeeded } from '#core/template/references.ts';
import { renderCommand, renderPrompt, templateScope, type TemplateScope } from '#core/template/render.ts';
import { excerpt, excerptCharacters } from '#core/text/excerpt.ts';
import { normaliseText } from '#core/text/normalise.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { namedOutput } from '#activities/named-output.ts';
import { readTail } from '#activities/texts.ts';
import { folderName } from '#activities/workspace/places.ts';
import type { ArtifactStore } from '#infra/artifacts/artifact-store.ts';
import { changedPaths } from '#infra/git/diff.ts';

/** The file of the feedback folder that holds the whole block (C9). */
const feedbackFile = 'feedback.md';
/** A whole output above this is not copied for the agent; its excerpt names the failures. */
const mostCopied = 20 * 1024 * 1024;

/** A command with its values inserted, each as one quoted word (A11). */
export async function renderedCommand(deps: HostDeps, command: string, scope: RenderScope): Promise<string> {
  if (!command.includes('{{')) return command;
  return renderCommand(command, await scopeFor(deps, command, scope));
}

/**
 * A text with its values inserted as they are: a question, a criterion, what a child run is given (A11). Of an output its
 * end, unless `read` gives more.
 */
export async function renderedText(
  deps: Pick<HostDeps, 'artifacts'>,
  template: string,
  scope: RenderScope,
  read: ReadOutput = readTail,
): Promise<string> {
  if (!template.includes('{{')) return template;
  return renderPrompt(template, await scopeFor(deps, template, scope, { read }));
}

/** How much of an output is inserted. */
type ReadOutput = (artifacts: ArtifactStore, output: ArtifactRef) => Promise<string>;

/**
 * The whole brief of an agent's pass: task, feedback, what decides and what is left (C9). `folder` is emptied and gets
 * the feedback of this pass; only the host can write it.
 */
export async function renderedPrompt(
  deps: Pick<HostDeps, 'artifacts'>,
  input: Pick<AttemptInput, 'step' | 'scope' | 'brief' | 'reportFiles' | 'worklist' | 'from'> & {
    workspace?: AttemptInput['workspace'];
  },
  folder: string,
): Promise<string> {
  const { step, scope } = input;
  if (step.work.kind !== 'agent') return '';
  const template = step.work.prompt;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const feedback = feedbackBlock(await feedbackTexts(deps, scope, folder));
  if (feedback !== '') await writeFile(join(folder, feedbackFile), feedback);
  const values = await scopeFor(deps, template, scope, { feedback });
  const report = await reportText(deps, input);
  // Whoever is sent back sees what there is to build on; a first pass begins at the base.
  const changed = feedback === '' ? '' : await changedText(input);
  return agentPrompt({ template, values, feedback, brief: input.brief, report, changed });
}

/** Without a worktree there are no snapshots to compare. */
async function changedText({
  workspace,
  from,
}: {
  workspace?: AttemptInput['workspace'];
  from?: AttemptInput['from'];
}): Promise<string> {
  if (workspace?.base === undefined || from === undefined) return '';
  const { base, plan } = workspace;
  return changedBlock(await changedPaths({ repo: resolve(plan.repo), base: base.commit, commit: from.commit }));
}

/** B7: what the agent is asked to report, with the worklist that it left open. */
async function reportText(
  deps: Pick<HostDeps, 'artifacts'>,
  { reportFiles = [], worklist }: Pick<AttemptInput, 'reportFiles' | 'worklist'>,
): Promise<string> {
  return reportBlock(reportFiles, worklist === undefined ? undefined : await deps.artifacts.readText(worklist.sha256));
}

async function scopeFor(
  deps: Pick<HostDeps, 'artifacts'>,
  template: string,
  scope: RenderScope,
  { feedback, read = readTail }: { feedback?: string; read?: ReadOutput } = {},
): Promise<TemplateScope> {
  const outputs = await outputsFor(deps, template, scope, read);
  const condition = await conditionFor(deps, template, scope);
  const wanted = feedback ?? (template.includes('feedback') ? feedbackBlock(await feedbackTexts(deps, scope)) : '');
  const { inputs, iteration, run, item } = scope;
  return templateScope({ inputs, outputs, feedback: wanted, iteration, run, ...present({ item, condition }) });
}

// One template with all that it may read.
// oxlint-disable-next-line max-params
async function outputsFor(
  deps: Pick<HostDeps, 'artifacts'>,
  template: string,
  scope: RenderScope,
  read: ReadOutput,
): Promise<Record<string, string>> {
  const outputs: Record<string, string> = {};
  for (const id of outputsNeeded(template)) {
    const [ref, named] = [scope.outputs[id], scope.named?.[id]];
    if (ref !== undefined) outputs[id] = await read(deps.artifacts, ref);
    else outputs[id] = named === undefined ? (scope.answers?.[id] ?? '') : await namedOutput(deps.artifacts, named);
  }
  return outputs;
}

/** C-12: what the condition of the loop that asked for this pass found. */
async function conditionFor(
  { artifacts }: Pick<HostDeps, 'artifacts'>,
  template: string,
  { condition }: RenderScope,
): Promise<Record<string, string> | undefined> {
  if (condition === undefined || !template.includes('condition.')) return undefined;
  const { stdout, stderr, exitCode, ...told } = condition;
  const [out, err] = await Promise.all([readTail(artifacts, stdout), readTail(artifacts, stderr)]);
  return { ...told, stdout: out.trimEnd(), stderr: err.trimEnd(), exitCode: String(exitCode ?? '') };
}

function feedbackTexts(
  deps: Pick<HostDeps, 'artifacts'>,
  scope: RenderScope,
  folder?: string,
): Promise<FeedbackText[]> {
  return Promise.all(
    scope.feedback.map(async (entry) => {
      const path = folder === undefined ? undefined : await copyWhole(deps, entry, folder, scope.feedbackChars);
      return {
        entry,
        text: (await foundText(deps, entry, scope.feedbackChars)).trimEnd(),
        ...(path === undefined ? {} : { path }),
      };
    }),
  );
}

/** What was found, as its excerpt; what the plan's own limit (T-08) cuts is what a program said, never a person. */
async function foundText(
  { artifacts }: Pick<HostDeps, 'artifacts'>,
  { text, by }: FeedbackEntry,
  limit: number | undefined,
): Promise<string> {
  if (text === undefined) return '';
  if (limit === undefined || by !== undefined || text.bytes > mostCopied) return readTail(artifacts, text);
  return excerpt(normaliseText(await artifacts.readText(text.sha256)), limit);
}

/** What an excerpt cuts is laid beside the agent, where its sandbox lets it read (C9). */
async function copyWhole(
  deps: Pick<HostDeps, 'artifacts'>,
  entry: FeedbackEntry,
  folder: string,
  limit: number = excerptCharacters,
): Promise<string | undefined> {
  const { whole, check, step } = entry;
  if (whole === undefined || whole.bytes <= limit || whole.bytes > mostCopied) return undefined;
  const place = join(folder, 'steps', folderName(step));
  const path = check === undefined ? join(place, 'attempt.log') : join(place, 'checks', `${folderName(check)}.log`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await deps.artifacts.read(whole.sha256));
  return path;
}

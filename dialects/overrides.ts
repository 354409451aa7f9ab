import type { StartRun } from '#core/contract/http.ts';
import type { AgentDefinition, Definition, StepDefinition } from '#core/definition/definition.ts';
import { present } from '#core/definition/present.ts';

/** What the command line says over the definition (`--agent`, `--deliver`, `--no-worktree`, what `repo: .` means). */
export type Overrides = NonNullable<StartRun['overrides']>;

/** The definition with the overrides in place of what it says. Without a worktree nothing is delivered unless it says so. */
export function applyOverrides(definition: Definition, overrides: Overrides): Definition {
  const { agent, deliver, worktree, repo } = overrides;
  // T-12: what the definition itself delivers is refused by `compile`, which says what to do about it.
  const mode = deliver ?? (worktree === false ? (definition.deliver?.mode ?? 'none') : undefined);
  const workspace = { ...definition.workspace, ...present({ worktree, repo: resolveRepo(definition, repo) }) };
  return {
    ...definition,
    ...(Object.keys(workspace).length === 0 ? {} : { workspace }),
    ...(mode === undefined ? {} : { deliver: { ...definition.deliver, mode } }),
    ...(agent === undefined ? {} : { steps: definition.steps.map((step) => withAgent(step, agent)) }),
    ...present({ children: childrenOf(definition, overrides) }),
  };
}

/** What is written inside works with the same agent and in the same folder; how it is delivered is its own matter. */
function childrenOf(definition: Definition, { agent, repo }: Overrides): Definition['children'] {
  if (definition.children === undefined) return undefined;
  const children = Object.entries(definition.children).map(([name, child]) => {
    // A child that names no repository works in that of the run that calls it, at what that run has made.
    const own = child.workspace?.repo === undefined || isHere(child.workspace.repo) ? undefined : repo;
    return [name, applyOverrides(child, present({ agent, repo: own }))] as const;
  });
  return Object.fromEntries(children);
}

/** Another agent knows nothing of the model and the scripts of the one that it stands for. */
function withAgent(step: StepDefinition, name: string): StepDefinition {
  if (step.work.kind !== 'agent' || step.work.agent.name === name) return step;
  const agent: AgentDefinition = { name, ...present({ session: step.work.agent.session }) };
  return { ...step, work: { ...step.work, agent } };
}

/** A relative path is meant from the folder that `repo: .` means; an address or an absolute path stays. */
function resolveRepo(definition: Definition, folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  const written = definition.workspace?.repo ?? '.';
  if (isHere(written)) return folder;
  if (!/^\.\.?\//.test(written)) return written;
  return `${folder.replace(/\/+$/, '')}/${written.replace(/^\.\//, '')}`;
}

function isHere(repo: string): boolean {
  return repo === '.' || repo === './';
}

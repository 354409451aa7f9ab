import type { RenderScope, WorkPlace } from '#core/contract/activities.ts';
import { unreachable } from '#core/exhaustive.ts';
import { folderFor, type FolderFound } from '#activities/artifacts/folder.ts';
import { renderedText } from '#activities/attempt/render.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { isHollow, readEnvFile } from '#infra/process/env-file.ts';
import { folderInside, readReached } from '#infra/sandbox/reach-inside.ts';

/** What a process of a run finds around it: its variables beside the inherited ones, and folders that it may write. */
export type Surroundings = FolderFound;

export interface Asked {
  /** Templates by name. */
  env: Readonly<Record<string, string>>;
  scope: RenderScope;
  workspace: WorkPlace;
}

type Deps = Pick<HostDeps, 'home' | 'artifacts'>;

/** Of a check or a review: the step's variables, and the run's folder of artifacts. Faults: `template/unresolved`, `store/*`. */
export async function surroundingsOf(deps: Deps, { env, scope, workspace }: Asked): Promise<Surroundings> {
  const [rendered, folder] = await Promise.all([renderedEnv(deps, env, scope), folderFor(deps, workspace.artifacts)]);
  return { env: { ...rendered, ...folder.env }, writable: folder.writable };
}

export type StepSurroundings =
  | (Surroundings & { kind: 'found'; cwd: string; fromFiles: Record<string, string>; notes: string[] })
  /** `reason`: a whole sentence with the remedy. */
  | { kind: 'impossible'; reason: string };

/**
 * Of a step's own process, or of its condition: where it starts, too, and what the plan's files of variables say. `root` is the
 * tree that it works in. Faults: `template/unresolved`, `store/*`.
 */
export async function stepSurroundingsOf(
  deps: Deps,
  asked: Asked & { root: string; directory?: string | undefined },
): Promise<StepSurroundings> {
  const { root, directory, workspace } = asked;
  const start = await startIn(root, directory);
  if (start.kind === 'impossible') return start;
  const files = await fromFiles(root, workspace.plan.envFiles ?? []);
  if (files.kind === 'impossible') return files;
  const { values, notes } = files;
  return { kind: 'found', ...(await surroundingsOf(deps, asked)), cwd: start.cwd, fromFiles: values, notes };
}

async function renderedEnv(deps: Deps, env: Asked['env'], scope: RenderScope): Promise<Record<string, string>> {
  const rendered = Object.entries(env).map(
    async ([name, template]) => [name, await renderedText(deps, template, scope)] as const,
  );
  return Object.fromEntries(await Promise.all(rendered));
}

type Start = { kind: 'at'; cwd: string } | { kind: 'impossible'; reason: string };

async function startIn(root: string, directory: string | undefined): Promise<Start> {
  if (directory === undefined) return { kind: 'at', cwd: root };
  const reached = await folderInside(root, directory);
  switch (reached.kind) {
    case 'inside':
      return { kind: 'at', cwd: reached.path };
    case 'absent':
      return impossible(
        `The folder ${directory}, where it is to start, is not in the workspace. Make it, or correct \`directory\`.`,
      );
    case 'no_folder':
      return impossible(`${directory}, where it is to start, is no folder. Correct \`directory\`.`);
    case 'outside':
      return impossible(`The folder ${directory} is a link that leads outside the workspace. Put a real folder there.`);
    default:
      return unreachable(reached);
  }
}

/** No such file is longer. */
const mostBytes = 256 * 1024;

type FromFiles =
  | { kind: 'read'; values: Record<string, string>; notes: string[] }
  | { kind: 'impossible'; reason: string };

/** A later file wins; a missing one is none. */
async function fromFiles(root: string, files: readonly string[]): Promise<FromFiles> {
  const values: Record<string, string> = {};
  const notes: string[] = [];
  for (const file of files) {
    const read = await readReached(root, file, mostBytes);
    if (read.kind === 'absent') continue;
    if (read.kind === 'outside') {
      return impossible(
        `The file of variables ${file} is a link that leads outside the workspace. Put the file itself there.`,
      );
    }
    if (read.kind !== 'file' || read.truncated) {
      const what = read.kind !== 'file' ? 'no plain file that can be read' : 'larger than 256 KiB';
      return impossible(`The file of variables ${file} is ${what}. Correct it, or take it out of \`envFiles\`.`);
    }
    const text = Buffer.from(read.bytes).toString('utf8');
    if (isHollow(text)) {
      return impossible(
        `The file of variables ${file} has 100 or more empty lines or spaces in a row, and is not read. Take them out.`,
      );
    }
    const { values: set, ignored } = readEnvFile(text);
    Object.assign(values, set);
    if (ignored.length > 0) notes.push(`env_ignored: ${file} may not set ${ignored.join(', ')}`);
  }
  return { kind: 'read', values, notes };
}

function impossible(reason: string): { kind: 'impossible'; reason: string } {
  return { kind: 'impossible', reason };
}

import { resolve } from 'node:path';
import type { OpenTaskInput, TaskOpened } from '#core/contract/activities.ts';
import { unreachable } from '#core/exhaustive.ts';
import type { Shown } from '#core/plan/plan.ts';
import { normaliseText } from '#core/text/normalise.ts';
import { redactText } from '#core/text/redact.ts';
import type { Secret } from '#core/text/secret-forms.ts';
import { openFolder } from '#activities/artifacts/folder.ts';
import type { HostDeps } from '#activities/host-deps.ts';
import { putText } from '#activities/texts.ts';
import { bytesAt } from '#infra/git/tree.ts';
import { smallExcerpt } from '#infra/process/output-log.ts';
import { readReached } from '#infra/sandbox/reach-inside.ts';

/** More of a file is not shown. */
const mostBytes = 4 * 1024 * 1024;

type Frozen = TaskOpened['shown'][number];
/** `hidden`: what no stored text may tell (H4): an agent can leave its key in a file. */
type Where = Pick<OpenTaskInput, 'workspace' | 'snapshot' | 'scope'> & { hidden: readonly Secret[] };
type Deps = Pick<HostDeps, 'home' | 'artifacts'>;

/** What is shown, as it is now. What is not there, or not to be read, is a note in its place. */
export async function freeze(deps: Deps, input: Where, shown: Shown): Promise<Frozen> {
  switch (shown.kind) {
    case 'output': {
      const name = `output of ${shown.step}`;
      const content = input.scope.outputs[shown.step];
      return content === undefined
        ? note(deps, name, `Step ${shown.step} has given no output yet.`)
        : { name, content };
    }
    case 'file': {
      const found = await bytesOf(input, shown.path);
      if (found === undefined)
        return note(deps, shown.path, `There is no file ${shown.path} to be read in the workspace.`);
      return keep(deps, { path: shown.path, hidden: input.hidden }, found);
    }
    case 'artifact': {
      const { artifacts: folder } = input.workspace;
      if (folder !== undefined) await openFolder(deps, folder);
      const found = folder === undefined ? undefined : await inFolder(folder.path, shown.path);
      if (found === undefined) {
        return note(deps, shown.path, `There is no file ${shown.path} to be read in the folder of artifacts.`);
      }
      return keep(deps, { path: shown.path, hidden: input.hidden }, found);
    }
    default:
      return unreachable(shown);
  }
}

interface Found {
  bytes: Uint8Array;
  truncated: boolean;
}

/** As the snapshot has it, which no later pass can change; without one as the folder has it now (F4). */
async function bytesOf({ workspace, snapshot }: Where, path: string): Promise<Found | undefined> {
  if (snapshot === undefined) return inFolder(workspace.path, path);
  return bytesAt({ repo: resolve(workspace.plan.repo), commit: snapshot.commit, path, maxBytes: mostBytes });
}

/** Links lead nowhere outside the folder, and only a plain file is read: a pipe would never end. */
async function inFolder(folder: string, path: string): Promise<Found | undefined> {
  const read = await readReached(folder, path, mostBytes);
  return read.kind === 'file' ? read : undefined;
}

async function keep(
  { artifacts }: Deps,
  { path, hidden }: { path: string; hidden: readonly Secret[] },
  { bytes, truncated }: Found,
): Promise<Frozen> {
  const writer = artifacts.openArtifact({ secrets: hidden });
  writer.write(bytes);
  const { sha256, bytes: size } = await writer.finish();
  const excerpt = smallExcerpt(normaliseText(redactText(Buffer.from(bytes).toString('utf8'), hidden)));
  const name = truncated ? `${path} (its first ${mostBytes / 1024 / 1024} MiB)` : path;
  return { name, content: { sha256, bytes: size, excerpt } };
}

async function note({ artifacts }: Deps, name: string, text: string): Promise<Frozen> {
  return { name, content: await putText(artifacts, `${text}\n`, []) };
}
